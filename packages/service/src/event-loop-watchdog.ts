import { Worker } from 'node:worker_threads';

/**
 * Ends the process when its event loop has been blocked for `limitMs` milliseconds: it renews no lease and answers nobody, and an
 * orchestrator may take minutes to notice. What it held is taken over when the leases run out. Writes one line to standard error.
 */
export function watchEventLoop(limitMs: number): void {
  const beat = new BigInt64Array(new SharedArrayBuffer(8));
  const touch = (): void => {
    Atomics.store(beat, 0, BigInt(Date.now()));
  };
  touch();
  setInterval(touch, limitMs / 10).unref();
  const thread = new Worker(new URL('./event-loop-watchdog-thread.ts', import.meta.url), {
    workerData: { beat, limitMs },
    // What was loaded into the process with --import is not for a thread.
    execArgv: [],
  });
  thread.unref();
}
