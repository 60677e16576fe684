import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
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
}

export interface StartServiceOptions {
  /** Relative to the repository. */
  readonly script: string;
  /** The event of the log line that says it is ready. */
  readonly readyEvent: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its output is appended here. */
  readonly logFile: string;
  readonly onLine: (line: string) => void;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));
const children = new Set<ChildProcess>();
// However the soak ends, it leaves no process behind.
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** Starts a process and waits until it is ready. Throws, with the place of its log, where it ends instead. */
export async function startService(options: StartServiceOptions): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [options.script], {
    cwd: repository,
    env: { PATH: process.env['PATH'], ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const log = createWriteStream(options.logFile, { flags: 'a' });
  const ready = Promise.withResolvers<Record<string, unknown>>();
  child.stderr.pipe(log, { end: false });
  createInterface(child.stdout).on('line', (line) => {
    log.write(`${line}\n`);
    options.onLine(line);
    if (line.includes(`"${options.readyEvent}"`)) ready.resolve(JSON.parse(line) as Record<string, unknown>);
  });
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
  };
}
