import { classifyDatabaseError, type Database, queryPrepared } from '@mailroom/db';
import type { Logger } from '@mailroom/kernel';
import { createArrivalRecorder } from './arrivals.ts';
import type { Delivery, Receipt } from './delivery.ts';
import { createDuplicateRecorder } from './duplicates.ts';
import { createGroupCommit } from './group-commit.ts';
import { insertReceiptsText, insertReceiptsValues, type ReceiptRow, sortedRows } from './sql/insert-receipts.ts';
import { reattachBodies } from './sql/reattach-bodies.ts';
import { createHints } from './wake-up.ts';

export interface ReceiverOptions {
  /** Attempts an event gets before it is exhausted. */
  readonly maxAttempts: number;
  /** How long a delivery may wait for a row that somebody else is inserting or updating, milliseconds. */
  readonly lockTimeoutMs: number;
  readonly writesInFlight: number;
  readonly maxRowsPerWrite: number;
  readonly maxBytesPerWrite: number;
  /** Past either bound a delivery is refused with `inbox_overloaded`; nothing of it is stored. */
  readonly maxWaitingRows: number;
  readonly maxWaitingBytes: number;
  readonly log: Logger;
  /** Called after each write that committed. */
  readonly onWrite?: (rows: number, deliveries: number, durationMs: number) => void;
}

export interface Receiver {
  /**
   * Commits a verified delivery: its new events, its bytes, all or nothing. Resolves only after COMMIT. Opens its own
   * transaction. Rejects with `inbox_overloaded`, `inbox_closed`, or the database's error; then nothing may be
   * acknowledged (it may still have been stored, which makes the redelivery a duplicate).
   */
  receive(delivery: Delivery): Promise<Receipt>;
  /** Refuses new deliveries, waits for those under way, writes what is counted of duplicates. */
  close(): Promise<void>;
}

/** Receives with group commit: concurrent deliveries share an INSERT, and one never fails for another. */
export function createReceiver(database: Database, options: ReceiverOptions): Receiver {
  const hint = createHints(database);
  const duplicates = createDuplicateRecorder(database, options.log);
  const arrivals = createArrivalRecorder(database, options.log);
  const group = createGroupCommit<Delivery, Receipt>({
    writeGroup: (deliveries) =>
      repeatOnceWhenCut(() => write(deliveries, Math.min(options.lockTimeoutMs, groupLockTimeoutMs))),
    writeAlone: async (delivery) => {
      try {
        return (await write([delivery], options.lockTimeoutMs))[0] as Receipt;
      } catch (error) {
        if (classifyDatabaseError(error) !== 'lock_timeout') throw error;
        // Whoever holds the rows is only updating them, if they are there already: then this delivery is a duplicate.
        if (!(await allKnown(database, delivery))) throw error;
        for (const { eventId } of delivery.events) duplicates.count({ ...delivery, eventId });
        return { stored: 0, duplicates: delivery.events.length };
      }
    },
    rowsOf: (delivery) => delivery.events.length,
    bytesOf: (delivery) => delivery.body.length,
    writesInFlight: options.writesInFlight,
    maxRowsPerWrite: options.maxRowsPerWrite,
    maxBytesPerWrite: options.maxBytesPerWrite,
    maxHeldRows: options.maxWaitingRows,
    maxHeldBytes: options.maxWaitingBytes,
  });

  return {
    receive: (delivery) => group.submit(delivery),
    close: async () => {
      await group.close();
      await Promise.all([duplicates.close(), arrivals.close()]);
    },
  };

  async function write(deliveries: readonly Delivery[], lockTimeoutMs: number): Promise<readonly Receipt[]> {
    const startedAt = performance.now();
    const { rows, repeated } = sortedRows(deliveries);
    const values = insertReceiptsValues(deliveries, rows, { lockTimeoutMs, maxAttempts: options.maxAttempts });
    const known = await queryPrepared<{ number: number }>(database, insertReceiptsText, values);
    const knownRows = known.rows.map(({ number }) => rows[number - 1] as ReceiptRow);
    if (knownRows.length < rows.length) hint();
    await reattachBodies((text, given) => database.pool.query(text, given), knownRows);

    const duplicatesOf = deliveries.map(() => 0);
    for (const row of [...repeated, ...knownRows]) {
      duplicatesOf[row.deliveryNumber] = (duplicatesOf[row.deliveryNumber] ?? 0) + 1;
      duplicates.count(row);
    }
    noteArrivals(rows, new Set(knownRows));
    options.onWrite?.(rows.length, deliveries.length, performance.now() - startedAt);
    return deliveries.map((delivery, number) => {
      const count = duplicatesOf[number] ?? 0;
      return { stored: delivery.events.length - count, duplicates: count };
    });
  }

  function noteArrivals(rows: readonly ReceiptRow[], known: ReadonlySet<ReceiptRow>): void {
    for (const row of rows) {
      if (row.delivery.origin !== 'webhook' || known.has(row)) continue;
      arrivals.came({ provider: row.provider, endpoint: row.endpoint, eventType: row.event.eventType });
    }
  }
}

/**
 * A group waits only this long for a row that is locked before each delivery tries alone with the full lock timeout, so that
 * one locked row holds its neighbours up for a moment only.
 */
const groupLockTimeoutMs = 100;

/** A connection that was cut (a failover, an administrator) costs a group one repetition: inserting twice is harmless. */
async function repeatOnceWhenCut<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const errorClass = classifyDatabaseError(error);
    if (errorClass !== 'connection' && errorClass !== 'shutdown') throw error;
    return await write();
  }
}

async function allKnown(database: Database, delivery: Delivery): Promise<boolean> {
  const ids = [...new Set(delivery.events.map((event) => event.eventId))];
  const { rows } = await database.pool.query<{ known: number }>(
    'select count(*)::int as known from webhook_inbox where provider = $1 and endpoint = $2 and event_id = any($3::text[])',
    [delivery.provider, delivery.endpoint, ids],
  );
  return rows[0]?.known === ids.length;
}
