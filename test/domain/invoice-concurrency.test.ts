import { type Database, inTransaction } from '@mailroom/db';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { applyEvent, callHandler, type GivenEvent } from './apply-event.ts';
import { emptyBooks, readBooks, sumOf } from './books.ts';
import { invoiceEvent, twinOf } from './invoice-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const paid = invoiceEvent('paid');
const voided = invoiceEvent('voided');

test('two transactions that apply one payment at once book and tell it once', async () => {
  await applyOneWhileTheOtherHolds(paid, twinOf(paid));
  const books = await readBooks(db.database);
  expect(books.ledger).toMatchObject([{ event_id: 'evt_paid' }]);
  expect(books.outbox).toMatchObject([{ event_id: 'evt_paid' }]);
});

test('a payment whose first transaction rolls back is booked by the second that waited', async () => {
  await applyOneWhileTheOtherHolds(paid, twinOf(paid), 'rollback');
  const books = await readBooks(db.database);
  expect(books.ledger).toMatchObject([{ event_id: 'evt_paid_twin' }]);
  expect(books.outbox).toMatchObject([{ event_id: 'evt_paid_twin' }]);
});

test.each([
  ['paid', 'voided', paid, voided],
  ['voided', 'paid', voided, paid],
])(
  '%s held open while %s arrives ends void with a sum of 0 and one anomaly',
  async (_first, _second, first, second) => {
    await applyOneWhileTheOtherHolds(first, second);
    const books = await readBooks(db.database);
    expect(books.invoices).toMatchObject([{ status: 'void' }]);
    expect(sumOf(books.ledger)).toBe(0n);
    expect(books.anomalies).toMatchObject([{ kind: 'payment_on_void_invoice' }]);
  },
);

test('eight transactions at once, on an invoice nobody has seen, book once', async () => {
  const events = Array.from({ length: 8 }, (_, index) => invoiceEvent('paid', { id: `evt_${index}` }));
  await Promise.all(events.map((event) => applyEvent(db.database, event)));
  const books = await readBooks(db.database);
  expect(books.ledger).toHaveLength(1);
  expect(books.outbox).toHaveLength(1);
  expect(books.invoices).toMatchObject([{ status: 'paid', snapshot_event_id: 'evt_7' }]);
});

/** Applies `first` and keeps its transaction open until `second` waits for it; then ends it and lets `second` finish. */
async function applyOneWhileTheOtherHolds(
  first: GivenEvent,
  second: GivenEvent,
  end: 'commit' | 'rollback' = 'commit',
): Promise<void> {
  const applied = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = inTransaction(db.database, async (tx) => {
    await callHandler(tx, first);
    applied.resolve();
    await release.promise;
    if (end === 'rollback') throw new Error('rolled back on purpose');
  });
  const held = holder.then(
    () => 'commit',
    () => 'rollback',
  );
  await Promise.race([applied.promise, held]);
  const waiter = applyEvent(db.database, second);
  await waitFor(
    'the second transaction to wait for the first',
    async () => (await countLockWaiters(db.database)) === 1,
  );
  release.resolve();
  expect(await held).toBe(end);
  expect(await waiter).toEqual({ outcome: 'done' });
}

async function countLockWaiters({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ waiters: string }>`
    select count(*) as waiters from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(kysely);
  return Number(rows[0]?.waiters);
}
