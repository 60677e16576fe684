import { Worker } from 'node:worker_threads';
import { monotonicMs } from './monotonic-ms.ts';

/**
 * Ends the process when its event loop has been blocked for `limitMs` milliseconds: it renews no lease and answers nobody, and an
 * orchestrator may take minutes to notice. What it held is taken over when the leases run out. Writes one line to standard error.
 * A wall clock that is set, by hand or by NTP, means nothing here.
 */
export function watchEventLoop(limitMs: number): void {
  const beat = new BigInt64Array(new SharedArrayBuffer(8));
  const touch = (): void => {
    Atomics.store(beat, 0, monotonicMs());
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
