import { countedStatements } from './count-statements.ts';

/** What a measured process says to the bench. */
export type FromProcess<Result> =
  | { readonly kind: 'ready'; readonly info: unknown }
  | { readonly kind: 'warm' }
  | { readonly kind: 'done'; readonly result: Result; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly error: string };

export type ToProcess =
  | { readonly kind: 'job'; readonly job: object }
  | { readonly kind: 'go' }
  | { readonly kind: 'end' };

/** What the process used between `warm` and its end. */
export interface Usage {
  readonly cpuMs: number;
  readonly statements: number;
  readonly peakMb: number;
}

export interface Task<Result> {
  /** Told to the bench when the task is ready, for example a port. */
  readonly info?: unknown;
  /** Does the work. Calls `warm` where what came before shall not count. */
  run(warm: () => void): Promise<Result>;
  close(): Promise<void>;
}

/** Runs one task for the bench, in a process of its own: gets its job, waits for the start, answers what it measured. */
export function serveTask<Result>(prepare: (job: never) => Promise<Task<Result>>): void {
  let task: Task<Result> | undefined;
  process.on('message', (message: ToProcess) => {
    handle(message).catch((error: unknown) => {
      say({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
  });
  // Whoever started us is gone: nobody wants the result.
  process.on('disconnect', () => process.exit());

  async function handle(message: ToProcess): Promise<void> {
    if (message.kind === 'job') {
      task = await prepare(message.job as never);
      say({ kind: 'ready', info: task.info ?? null });
    } else if (message.kind === 'go') {
      await run();
    } else {
      await task?.close();
      process.disconnect();
    }
  }

  async function run(): Promise<void> {
    let start = taken();
    const result = await task?.run(() => {
      start = taken();
      say({ kind: 'warm' });
    });
    const end = taken();
    const usage = { cpuMs: end.cpuMs - start.cpuMs, statements: end.statements - start.statements, peakMb: end.peakMb };
    say({ kind: 'done', result: result as Result, usage });
  }

  function say(message: FromProcess<Result>): void {
    process.send?.(message);
  }
}

function taken(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, statements: countedStatements(), peakMb: maxRSS / 1024 };
}
