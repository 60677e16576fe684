import { createReceiver } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import type pg from 'pg';
import { benchEvents } from '../bench-event.ts';
import { expectCount } from '../business/tables.ts';
import type { Recorder } from '../figures.ts';
import { openBenchDatabase } from '../open-bench-database.ts';
import { deliveryOf } from '../queues/mailroom-queue.ts';
import type { BenchRun } from '../section.ts';

const copies = 100;
const callers = 64;

/** A hundred copies of every event, all mixed: each is stored once and every other copy is counted. */
export async function measureDuplicates({
  run,
  record,
  url,
  pool,
}: {
  readonly run: BenchRun;
  readonly record: Recorder;
  readonly url: string;
  readonly pool: pg.Pool;
}): Promise<void> {
  await pool.query('truncate webhook_inbox, webhook_delivery, inbox_duplicates');
  const database = openBenchDatabase(url, 'bench-duplicates', 10);
  const receiver = createReceiver(database, {
    maxAttempts: 25,
    lockTimeoutMs: 1_000,
    writesInFlight: 3,
    maxRowsPerWrite: 200,
    maxBytesPerWrite: 4 * 2 ** 20,
    maxWaitingRows: 10_000,
    maxWaitingBytes: 64 * 2 ** 20,
    log: silentLogger,
  });
  const deliveries = benchEvents(0, run.quick ? 20 : 500).map((event) => deliveryOf(event));
  const total = deliveries.length * copies;
  let next = 0;
  const startedAt = performance.now();
  const caller = async () => {
    while (next < total) {
      // A stride that shares no factor with the number of events spreads the copies of each over the whole storm.
      const delivery = deliveries[(next * 7) % deliveries.length];
      next += 1;
      if (delivery) await receiver.receive(delivery);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - startedAt) / 1000;
  await receiver.close();
  await database.close();

  const { rows } = await pool.query<{ events: string; copies: string }>(
    'select (select count(*) from webhook_inbox) as events, (select sum(count) from inbox_duplicates) as copies',
  );
  expectCount('events', Number(rows[0]?.events), deliveries.length);
  expectCount('duplicates', Number(rows[0]?.copies), total - deliveries.length);
  record.add('duplicate storm, 100 copies of each, 64 callers', 'Mailroom receive', { rate: total / seconds });
  run.say('duplicate storm');
}
