import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../support/wait-for.ts';
import { processesWith } from './processes.ts';

export interface Command {
  readonly pid: number;
  /** Both outputs, as the lines came. */
  readonly lines: readonly string[];
  readonly ended: Promise<number | null>;
  hasEnded(): boolean;
}

export interface StartedMailroom extends Command {
  readonly url: string;
  readonly port: string;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));
const readyDeadlineMs = 120_000;

/** Runs `npm <args>` in the repository, in a process group of its own, with nothing in the environment but what is given. */
export function npm(args: readonly string[], env: Readonly<Record<string, string>>): Command {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', [...args], {
    cwd: repository,
    env: { PATH, HOME, npm_config_update_notifier: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  let over = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      over = true;
      resolve(code);
    });
  });
  return { pid: pidOf(child), lines, ended, hasEnded: () => over };
}

/** `npm start` on free ports without a terminal, once it says that it is ready. */
export async function startMailroom(
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedMailroom> {
  const command = npm(['start'], { MAILROOM_HOME: home, PORT: '0', ADMIN_PORT: '0', ...env });
  const url = await waitFor(
    'the line "ready http://..."',
    () => {
      const found = command.lines.find((line) => /^ready http:\/\/127\.0\.0\.1:\d+$/.test(line));
      return found?.slice('ready '.length) ?? (command.hasEnded() ? 'ended' : null);
    },
    { deadlineMs: readyDeadlineMs },
  ).catch(String);
  if (!url.startsWith('http')) throw new Error(`npm start is not ready (${url}):\n${command.lines.join('\n')}`);
  return { ...command, url, port: new URL(url).port };
}

/** The processes of one MAILROOM_HOME that run this app. */
export function processesOf(home: string, app: 'local' | 'ingest' | 'worker'): readonly number[] {
  return processesWith(`MAILROOM_HOME=${home}\0`)
    .filter(({ command }) => /\bnode\b/.test(command) && command.includes(`apps/${app}/src/main.ts`))
    .filter(({ command }) => !command.startsWith('sh '))
    .map(({ pid }) => pid);
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('npm cannot be started');
  return child.pid;
}
