import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** One program to keep running. */
export interface Program {
  /** How people know it: `ingest`, `worker-1`. */
  readonly name: string;
  /** Absolute path of its `main.ts`. */
  readonly script: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The port of its `/readyz`, on loopback. */
  readonly adminPort: number;
  /** Where it listens, for people. */
  readonly where: string;
}

export interface SupervisorEvents {
  /** A line the program wrote. */
  readonly onLine: (line: string) => void;
  /** Something a person should know: it ended, it is started again. */
  readonly onNotice: (notice: string) => void;
}

export type Condition =
  | { readonly is: 'running'; readonly pid: number }
  | { readonly is: 'pausing'; readonly untilMs: number }
  | { readonly is: 'stopped' };

/** A program that is started again whenever it ends, until it is told to stop. */
export interface Supervised {
  readonly program: Program;
  condition(): Condition;
  restarts(): number;
  /** SIGTERM, and SIGKILL after `deadlineMs`. Resolves when it has ended; it is not started again. */
  stop(deadlineMs: number): Promise<void>;
  /** SIGKILL, now. */
  kill(): void;
}

export function supervise(program: Program, events: SupervisorEvents): Supervised {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let pauseUntilMs = 0;
  let endsInARow = 0;
  let restarts = 0;
  let stopping = false;
  let ended = Promise.withResolvers<void>();

  start();
  return { program, condition, restarts: () => restarts, stop, kill: () => killGroup(child) };

  function start(): void {
    const startedAtMs = Date.now();
    const started = spawn(process.execPath, ['--import', stopWithParent, program.script], {
      env: program.env,
      // A session of its own: Ctrl-C in the terminal reaches every process of the terminal's group, and a program that also
      // gets our SIGTERM would see a second signal, which means "at once".
      detached: true,
      // The channel is never written to; see stop-with-parent.ts.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child = started;
    ended = Promise.withResolvers<void>();
    for (const stream of [started.stdout, started.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', events.onLine);
    }
    // Without a pid it never began, and no 'exit' will come. Other errors (a signal that cannot be sent) change nothing.
    started.on('error', (error) => {
      if (started.pid === undefined) afterEnd(startedAtMs, `cannot be started: ${error.message}`);
    });
    // Not 'exit': the last lines, which say why, may still be on their way then.
    started.on('close', (code, signal) =>
      afterEnd(startedAtMs, signal ? `was ended by ${signal}` : `ended with code ${code}`),
    );
  }

  function afterEnd(startedAtMs: number, how: string): void {
    const pid = child?.pid;
    child = null;
    ended.resolve();
    if (stopping) return;
    endsInARow = Date.now() - startedAtMs >= wellAfterMs ? 1 : endsInARow + 1;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (endsInARow - 1));
    pauseUntilMs = Date.now() + pauseMs;
    timer = setTimeout(restart, pauseMs);
    const who = pid === undefined ? program.name : `${program.name} (pid ${pid})`;
    events.onNotice(`${who} ${how}; starting it again in ${pauseMs / 1000} s`);
  }

  function restart(): void {
    restarts += 1;
    start();
  }

  function condition(): Condition {
    if (child?.pid !== undefined) return { is: 'running', pid: child.pid };
    return stopping ? { is: 'stopped' } : { is: 'pausing', untilMs: pauseUntilMs };
  }

  async function stop(deadlineMs: number): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    if (!child) return;
    const running = child;
    running.kill('SIGTERM');
    const late = setTimeout(() => {
      events.onNotice(`${program.name} did not stop within ${deadlineMs / 1000} s; killing it`);
      killGroup(running);
    }, deadlineMs);
    await ended.promise;
    clearTimeout(late);
  }
}

/** Kills a program with everything it started: it leads a process group of its own. */
function killGroup(child: ChildProcess | null): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

// The pause before a restart doubles from the first to the second figure, so that a program that cannot start does no harm.
const firstPauseMs = 500;
const longestPauseMs = 30_000;
// A program that ran this long was well; its next pause is the first one again.
const wellAfterMs = 60_000;

const stopWithParent = new URL('./stop-with-parent.ts', import.meta.url).href;
