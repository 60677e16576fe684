import { migrate } from '@mailroom/db';
import { createReceiver, type Delivery } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { type BenchEvent, benchEndpoint, benchEventType, benchProvider } from '../bench-event.ts';
import { businessTables, checkBusiness, emptyBusinessTables, expectCount } from '../business/tables.ts';
import { openBenchDatabase } from '../open-bench-database.ts';
import { type EndState, type Queue, settleText } from './queue.ts';

/** Mailroom's inbox, which also takes events of several types and can be looked at before anything is worked off. */
export interface MailroomQueue extends Queue {
  fill(events: readonly BenchEvent[], typeOf?: (event: BenchEvent) => string): Promise<void>;
  /** Throws unless exactly so many events wait, each with its bytes. */
  checkReceipts(expected: number): Promise<void>;
}

/** Mailroom's inbox in a database of its own. */
export async function createMailroomQueue(url: string): Promise<MailroomQueue> {
  await migrate({ url, deadlineMs: 30_000, log: silentLogger });
  const database = openBenchDatabase(url, 'bench', 5);
  const { pool } = database;
  await pool.query(businessTables);
  return { url, empty, fill, check, checkReceipts, close: () => database.close() };

  async function empty(): Promise<void> {
    await pool.query('truncate webhook_inbox, webhook_delivery, inbox_duplicates, inbox_failures');
    await pool.query(emptyBusinessTables);
  }

  async function fill(
    events: readonly BenchEvent[],
    typeOf: (event: BenchEvent) => string = () => benchEventType,
  ): Promise<void> {
    const receiver = createReceiver(database, {
      // Whatever is meant to fail does so once, in every contender.
      maxAttempts: 1,
      lockTimeoutMs: 1_000,
      writesInFlight: 2,
      maxRowsPerWrite: 500,
      maxBytesPerWrite: 16 * 2 ** 20,
      maxWaitingRows: events.length + 1,
      maxWaitingBytes: Number.MAX_SAFE_INTEGER,
      log: silentLogger,
    });
    await Promise.all(events.map((event) => receiver.receive(deliveryOf(event, typeOf(event)))));
    await receiver.close();
    for (const text of settleText) await pool.query(text);
  }

  async function checkReceipts(expected: number): Promise<void> {
    const { rows } = await pool.query<{ count: string }>(
      `select count(*) from webhook_inbox join webhook_delivery d using (delivery_id)
       where state = 'pending' and octet_length(d.body) > 2400`,
    );
    expectCount('receipts', Number(rows[0]?.count), expected);
  }

  async function check({ done, failed, effects }: EndState): Promise<void> {
    await checkBusiness(pool, effects);
    const { rows } = await pool.query<{ state: string; count: string; attempts: string }>(
      'select state, count(*), sum(total_attempts) as attempts from webhook_inbox group by state',
    );
    const countOf = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
    expectCount('processed events', countOf('processed'), done);
    expectCount('exhausted events', countOf('exhausted'), failed);
    expectCount(
      'events in other states',
      rows.reduce((sum, row) => sum + Number(row.count), -done - failed),
      0,
    );
    expectCount(
      'attempts',
      rows.reduce((sum, row) => sum + Number(row.attempts), 0),
      done + failed,
    );
  }
}

/** A delivery as the ingestor would commit it after verification. */
export function deliveryOf({ eventId, invoiceId, body }: BenchEvent, eventType = benchEventType): Delivery {
  return {
    provider: benchProvider,
    endpoint: benchEndpoint,
    body,
    contentType: 'application/json; charset=utf-8',
    headers: {},
    secretLabel: 'bench',
    origin: 'webhook',
    events: [
      {
        eventId,
        eventType,
        objectKey: `invoice/${invoiceId}`,
        providerTime: new Date(1_790_000_000_000),
        apiVersion: '2026-07-29.dahlia',
        account: null,
        livemode: false,
        itemPath: null,
        quarantineReason: null,
      },
    ],
  };
}
