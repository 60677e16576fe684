import { setTimeout as delay } from 'node:timers/promises';
import { createReceiver } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { benchEvent } from '../bench-event.ts';
import { serveTask } from '../bench-process.ts';
import { openBenchDatabase } from '../open-bench-database.ts';
import { deliveryOf } from '../queues/mailroom-queue.ts';
import type { SteadyJob, SteadyResult } from './prune-job.ts';

// An open loop: what is due is received whether or not what came before is done, so waiting is not hidden.
serveTask<SteadyResult>(({ url, perSecond, seconds }: SteadyJob) => {
  const database = openBenchDatabase(url, 'mailroom-ingest', 10);
  const receiver = createReceiver(database, {
    maxAttempts: 25,
    lockTimeoutMs: 1_000,
    writesInFlight: 3,
    maxRowsPerWrite: 200,
    maxBytesPerWrite: 4 * 2 ** 20,
    maxWaitingRows: 100_000,
    maxWaitingBytes: 1024 * 2 ** 20,
    log: silentLogger,
  });
  let next = 0;
  return Promise.resolve({
    run: async (warm) => {
      warm();
      const count = perSecond * seconds;
      const latencies = new Float64Array(count);
      const startedAt = performance.now();
      const first = next;
      next += count;
      await Promise.all(Array.from({ length: count }, (_, at) => receive(first + at, startedAt, at, latencies)));
      return { latencies };
    },
    close: async () => {
      await receiver.close();
      await database.close();
    },
  });

  async function receive(number: number, startedAt: number, at: number, latencies: Float64Array): Promise<void> {
    const dueAt = startedAt + (at * 1000) / perSecond;
    await delay(Math.max(0, dueAt - performance.now()));
    await receiver.receive(deliveryOf(benchEvent(number)));
    latencies[at] = performance.now() - dueAt;
  }
});
