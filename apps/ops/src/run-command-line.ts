import { Command } from 'commander';
import { commonExitCodes, type ExitCode, exitCode } from './exit-code.ts';
import type { OperatorCommand } from './operator-command.ts';
import { registry } from './registry.ts';
import { reportError } from './report-error.ts';
import { typed } from './terminal/typed.ts';
import type { World } from './world.ts';

/** Runs one command line and answers the exit code. Never throws: whatever goes wrong is reported on standard error. */
export async function runCommandLine(argv: readonly string[], world: World): Promise<ExitCode> {
  let code: ExitCode = exitCode.ok;
  const program = new Command('mailroom')
    .usage('<command> [options]')
    .description("Look into the inbox, see what went wrong, start events again. 'status' is where to begin.")
    .configureOutput({
      writeOut: (text) => world.terminal.raw(text),
      writeErr: (text) => world.terminal.rawNote(text),
    })
    .addHelpText(
      'after',
      `\nEach command has examples and exit codes: ${typed('show --help')}\nWhat you see, why, what to type: docs/operations.md`,
    )
    .showHelpAfterError('(add --help to see what the command takes, with examples)')
    .exitOverride();
  for (const command of registry) declare(program, command, world, (result) => (code = result));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error, world, argv.includes('--json'));
  }
}

function declare(program: Command, command: OperatorCommand, world: World, finish: (code: ExitCode) => void): void {
  // copyInheritedSettings, which .command() does, hands exitOverride and the output on.
  const declared = program.command(command.name).summary(command.summary).description(command.description);
  command.declare(declared);
  declared
    .option('--json', 'one JSON document on standard output; docs/operations.md has its shape')
    .addHelpText('after', () => helpEnding(command))
    .action(async () => {
      const options = declared.opts<{ json?: boolean }>();
      finish(
        await command.run({
          world,
          args: declared.args,
          options,
          json: options.json === true,
        }),
      );
    });
}

function helpEnding(command: OperatorCommand): string {
  const examples = command.examples.map(([line, meaning]) => `  # ${meaning}\n  ${typed(line)}`);
  const codes = [...command.exitCodes, ...commonExitCodes].map(([code, meaning]) => `  ${code}  ${meaning}`);
  return `\nExamples:\n${examples.join('\n')}\n\nExit codes:\n${codes.join('\n')}`;
}
