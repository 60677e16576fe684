import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { compileCache } from './compile-cache.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartProcessOptions {
  /** A TypeScript or JavaScript file, relative to the repository, run with this Node. */
  readonly script: string;
  readonly args?: readonly string[];
  /** For Node itself. */
  readonly execArgv?: readonly string[];
  /** All that the process gets beside the compile cache: nothing leaks in from whoever runs the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the repository. */
  readonly cwd?: string;
}

/** A real process with its output, line by line. */
export interface StartedProcess {
  readonly pid: number;
  /** Both outputs in the order in which lines arrived. */
  readonly lines: readonly string[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly exited: Promise<ProcessExit>;
  /** Resolves with the first line, past or to come, that holds or matches; rejects with all output when the process ends first. */
  readonly waitForLine: (pattern: string | RegExp, options?: WaitOptions) => Promise<string>;
  /** To this process alone. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** To its whole process group, as a terminal does at Ctrl-C (SIGINT). */
  readonly killGroup: (signal: NodeJS.Signals) => void;
  /** SIGTERM, then waits for its end with a deadline. */
  readonly stop: (options?: WaitOptions) => Promise<ProcessExit>;
}

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const running = new Set<ChildProcess>();

// A test that failed half-way must not leave its processes to the next file.
afterAll(() => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

/** Starts a process in a process group of its own. What still runs at the end of the test file is killed. */
export function startProcess(options: StartProcessOptions): StartedProcess {
  const script = fileURLToPath(new URL(options.script, new URL('../../../', import.meta.url)));
  const child = spawn(process.execPath, [...(options.execArgv ?? []), script, ...(options.args ?? [])], {
    cwd: options.cwd ?? repository,
    env: { ...compileCache, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid === undefined) throw new Error(`${options.script} could not be started`);
  running.add(child);

  const output = collect(child);
  let exit: ProcessExit | undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    // "close", not "exit": by then every line has arrived.
    child.once('close', (code, signal) => {
      running.delete(child);
      exit = { code, signal };
      resolve(exit);
    });
  });

  const waitForLine = async (pattern: string | RegExp, waitOptions: WaitOptions = {}) => {
    const found = await waitFor(
      `a line matching ${pattern} from ${options.script}`,
      () => {
        const line = output.lines.find((candidate) => matches(candidate, pattern));
        return line === undefined && exit === undefined ? null : { line };
      },
      { deadlineMs: 30_000, ...waitOptions },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${output.lines.join('\n')}`, { cause: error });
    });
    if (found.line !== undefined) return found.line;
    throw new Error(
      `${options.script} ended (${JSON.stringify(exit)}) without a line matching ${pattern}\n${output.lines.join('\n')}`,
    );
  };
  const stop = async (waitOptions: WaitOptions = {}) => {
    child.kill('SIGTERM');
    await waitFor(`${options.script} to end after SIGTERM`, () => exit !== undefined, {
      deadlineMs: 30_000,
      ...waitOptions,
    });
    return await exited;
  };

  return {
    pid: child.pid,
    ...output,
    exited,
    waitForLine,
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => signalGroup(child, signal),
    stop,
  };
}

function collect(child: ChildProcess): { lines: string[]; stdout: string[]; stderr: string[] } {
  const output = { lines: [] as string[], stdout: [] as string[], stderr: [] as string[] };
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = child[name];
    if (stream === null) throw new Error(`the process was started without ${name}`);
    createInterface(stream).on('line', (line) => {
      output[name].push(line);
      output.lines.push(line);
    });
  }
  return output;
}

function matches(line: string, pattern: string | RegExp): boolean {
  return typeof pattern === 'string' ? line.includes(pattern) : pattern.test(line);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}
