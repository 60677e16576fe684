// Runs beside a blocked event loop, which is why it is a thread of its own.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { monotonicMs } from './monotonic-ms.ts';

const { beat, limitMs } = workerData as { readonly beat: BigInt64Array; readonly limitMs: number };

setInterval(() => {
  const silentMs = Number(monotonicMs() - Atomics.load(beat, 0));
  if (silentMs < limitMs) return;
  writeSync(2, `the event loop has been blocked for ${silentMs} ms: ending the process, its leases will run out\n`);
  process.kill(process.pid, 'SIGKILL');
}, limitMs / 4);
