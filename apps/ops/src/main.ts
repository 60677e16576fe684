import { userInfo } from 'node:os';
import process from 'node:process';
import { runCommandLine } from './run-command-line.ts';
import { openTerminal } from './terminal/terminal.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  user: loginName(),
  terminal: openTerminal(process.stdout, process.stderr),
});

function loginName(): string | null {
  if (process.env['USER']) return process.env['USER'];
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id that has no name.
    return null;
  }
}
