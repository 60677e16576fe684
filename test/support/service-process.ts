import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One ingestor or worker that is ready. */
export interface ServiceProcess {
  readonly pid: number;
  /** For deliveries; null for a worker. */
  readonly port: number | null;
  readonly adminPort: number;
  readonly startedAtMs: number;
  readonly exited: Promise<ProcessExit>;
  kill(signal: NodeJS.Signals): void;
  /** To what was loaded into the process beside its script; only where it was started with `listens`. */
  tell(message: Readonly<Record<string, unknown>>): void;
}

export interface StartServiceOptions {
  /** Relative to the repository. */
  readonly script: string;
  /** The event of the log line that says it is ready. */
  readonly readyEvent: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its output is appended here. */
  readonly logFile: string;
  /** Called with every line of both outputs. */
  readonly onLine: (line: string) => void;
  /** For Node itself. */
  readonly execArgv?: readonly string[];
  /** It has a channel for messages. */
  readonly listens?: boolean;
  /** The repository that the script is taken from. Default: this one. */
  readonly repository?: string;
}

const thisRepository = fileURLToPath(new URL('../../', import.meta.url));
const children = new Set<ChildProcess>();
// However a run ends, it leaves no process behind.
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** Starts a process and waits until it is ready. Throws, with the place of its log, where it ends instead. */
export async function startService(options: StartServiceOptions): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [...(options.execArgv ?? []), options.script], {
    cwd: options.repository ?? thisRepository,
    env: { PATH: process.env['PATH'], ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.listens === true ? (['ipc'] as const) : [])],
  });
  children.add(child);
  const log = createWriteStream(options.logFile, { flags: 'a' });
  const ready = Promise.withResolvers<Record<string, unknown>>();
  const hear = (line: string): void => {
    log.write(`${line}\n`);
    options.onLine(line);
    if (line.includes(`"${options.readyEvent}"`)) ready.resolve(JSON.parse(line) as Record<string, unknown>);
  };
  for (const output of [child.stdout, child.stderr] as readonly (Readable | null)[]) {
    if (output) createInterface(output).on('line', hear);
  }
  // Without a listener a message to a process that has just died would end this one.
  child.on('error', () => undefined);
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('close', (code, signal) => {
      log.end();
      children.delete(child);
      ready.reject(
        new Error(`${options.script} ended (${code ?? signal}) before it was ready; see ${options.logFile}`),
      );
      resolve({ code, signal });
    });
  });
  const line = await ready.promise;
  return {
    pid: child.pid ?? 0,
    port: typeof line['port'] === 'number' ? line['port'] : null,
    adminPort: Number(line['admin_port']),
    startedAtMs: performance.now(),
    exited,
    kill: (signal) => void child.kill(signal),
    tell: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
  };
}
