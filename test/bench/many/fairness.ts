import { setTimeout as delay } from 'node:timers/promises';
import { createReceiver } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { benchEvent, benchEvents } from '../bench-event.ts';
import type { BenchServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { RatioRule, Recorder } from '../figures.ts';
import { openBenchDatabase } from '../open-bench-database.ts';
import { deliveryOf, type MailroomQueue } from '../queues/mailroom-queue.ts';
import type { BenchRun, Contender } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { percentile } from '../statistics.ts';
import { type FairJob, quietEndpoint } from './fair-job.ts';

const scenario = 'a quiet endpoint, 20 events a second: received to processed';
const alone = 'with nothing else to do';
const flooded = 'beside 100,000 waiting on another endpoint';

/** What a flood on one endpoint does to those who wait on another. */
export const fairnessRatio: RatioRule = {
  title: 'p99 wait of a quiet endpoint: beside 100,000 waiting on another, to alone',
  of: { scenario, contender: flooded, metric: 'p99' },
  to: { scenario, contender: alone, metric: 'p99' },
  goal: { atMost: 3 },
};

interface Bench {
  readonly server: BenchServer;
  readonly run: BenchRun;
  readonly record: Recorder;
  readonly queue: MailroomQueue;
}

export function fairnessContenders(bench: Bench): readonly Contender[] {
  const flood = bench.run.quick ? 2_000 : 100_000;
  return [contender(bench, alone, 0), contender(bench, flooded, flood)];
}

function contender({ server, run, record, queue }: Bench, name: string, flood: number): Contender {
  const count = run.quick ? 20 : 200;
  return {
    name: `a quiet endpoint ${name}`,
    measure: async () => {
      await queue.empty();
      if (flood > 0) await queue.fill(benchEvents(0, flood));
      const job: FairJob = { url: queue.url, count };
      const worker = await startBenchProcess<null>(server, './many/fair-process.ts', job, run.profiles);
      const working = worker.runToEnd();
      await worker.warmed;
      await trickle(queue.url, count);
      await working;
      const waits = await waitsOf(queue.url);
      expectCount('events of the quiet endpoint', waits.length, count);
      record.add(scenario, name, { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) });
    },
  };
}

/** Events with numbers that no flood has. */
async function trickle(url: string, count: number): Promise<void> {
  const database = openBenchDatabase(url, 'bench', 2);
  const receiver = createReceiver(database, {
    maxAttempts: 1,
    lockTimeoutMs: 1_000,
    writesInFlight: 2,
    maxRowsPerWrite: 100,
    maxBytesPerWrite: 2 ** 20,
    maxWaitingRows: count,
    maxWaitingBytes: Number.MAX_SAFE_INTEGER,
    log: silentLogger,
  });
  for (let at = 0; at < count; at += 1) {
    await receiver.receive({ ...deliveryOf(benchEvent(1_000_000 + at)), endpoint: quietEndpoint });
    await delay(50);
  }
  await receiver.close();
  await database.close();
}

/** By the database's clock: from the receipt's statement to that of the completion, milliseconds. */
async function waitsOf(url: string): Promise<number[]> {
  const database = openBenchDatabase(url, 'bench', 2);
  const { rows } = await database.pool.query<{ wait: number }>(
    `select (extract(epoch from processed_at - received_at) * 1000)::float8 as wait
     from webhook_inbox where endpoint = $1 and state = 'processed'`,
    [quietEndpoint],
  );
  await database.close();
  return rows.map(({ wait }) => wait);
}
