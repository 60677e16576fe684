import { hostname, userInfo } from 'node:os';
import process from 'node:process';
import { exitCode } from './exit-code.ts';
import { runCommandLine } from './run-command-line.ts';
import { openTerminal } from './terminal/terminal.ts';

const terminal = openTerminal(process.stdout, process.stderr, (error) => {
  process.exitCode = exitCode.fault;
  process.stderr.write(`mailroom: the output cannot be written: ${error.message}\n`);
});
const code = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  user: loginName(),
  terminal,
  onStop: (listener) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener);
  },
  process: `${hostname()}:${process.pid}`,
});
// A broken output has the last word.
process.exitCode ??= code;

function loginName(): string | null {
  if (process.env['USER']) return process.env['USER'];
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id that has no name.
    return null;
  }
}
