import { classifyDatabaseError } from '@mailroom/db';
import { readJson } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvent, applyEvents } from './apply-event.ts';
import { emptyBooks, readBooks, readRowVersions } from './books.ts';
import { invoiceEvent } from './invoice-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const nothing = { ledger: [], outbox: [], anomalies: [] };

describe('booked only when the invoice really is paid', () => {
  test.each(['draft', 'open', 'uncollectible'])('an invoice.paid whose invoice is %s books nothing', async (status) => {
    const outcome = await applyEvent(db.database, invoiceEvent('paid', { invoice: { status } }));
    expect(outcome).toEqual({ outcome: 'done' });
    const books = await readBooks(db.database);
    expect(books).toMatchObject(nothing);
    expect(books.invoices).toMatchObject([{ status }]);
  });

  test('an invoice that is paid is booked whichever event shows it, so a lost invoice.paid loses no payment', async () => {
    const finalized = invoiceEvent('finalized', { invoice: { status: 'paid', amount_paid: 2500 } });
    await applyEvents(db.database, [finalized, invoiceEvent('paid')]);
    const books = await readBooks(db.database);
    expect(books.ledger).toMatchObject([{ amount: '2500', event_id: 'evt_finalized' }]);
    expect(books.outbox).toMatchObject([{ topic: 'invoice.paid', event_id: 'evt_finalized' }]);
  });

  test('an uncollectible invoice can still be paid', async () => {
    const uncollectible = invoiceEvent('finalized', { invoice: { status: 'uncollectible' } });
    await applyEvents(db.database, [uncollectible, invoiceEvent('paid')]);
    const books = await readBooks(db.database);
    expect(books.invoices).toMatchObject([{ status: 'paid' }]);
    expect(books.ledger).toHaveLength(1);
  });

  test('the same event on two endpoints is booked and told once', async () => {
    await applyEvents(db.database, [invoiceEvent('paid'), invoiceEvent('paid', { endpoint: 'reporting' })]);
    const books = await readBooks(db.database);
    expect(books.ledger).toHaveLength(1);
    expect(books.outbox).toMatchObject([{ endpoint: 'billing' }]);
  });

  test('an invoice paid with nothing due is booked with 0 and told once', async () => {
    const paid = invoiceEvent('paid', { invoice: { amount_due: 0, amount_paid: 0 } });
    await applyEvents(db.database, [paid, paid]);
    const books = await readBooks(db.database);
    expect(books.ledger).toMatchObject([{ kind: 'payment', amount: '0' }]);
    expect(books.outbox).toMatchObject([{ topic: 'invoice.paid', payload: { amount: '0' } }]);
  });

  test('two events that name different amounts leave the first booked and one anomaly, told once', async () => {
    const other = invoiceEvent('paid', { id: 'evt_other', invoice: { amount_paid: 900 } });
    await applyEvents(db.database, [invoiceEvent('paid'), other, other]);
    const books = await readBooks(db.database);
    expect(books.ledger).toMatchObject([{ amount: '2500' }]);
    expect(books.outbox).toHaveLength(1);
    expect(books.anomalies).toEqual([
      {
        kind: 'payment_amounts_differ',
        object_key: 'stripe:invoice:in_1',
        detail: { amounts: '2500 eur, 900 eur' },
      },
    ]);
  });
});

describe('numbers are exact', () => {
  test('an amount above 2^53 reaches ledger, invoice and message without rounding', async () => {
    const body = Buffer.from('{"amount":9007199254740993}');
    const reading = readJson(body);
    const value = reading.outcome === 'json' ? reading.value : null;
    expect(value).toEqual({ amount: 9_007_199_254_740_993n });
    const amount = 9_007_199_254_740_993n;
    const invoice = { amount_due: amount, amount_paid: amount };
    await applyEvents(db.database, [invoiceEvent('paid', { invoice }), invoiceEvent('voided', { invoice })]);
    const books = await readBooks(db.database);
    expect(books.invoices).toMatchObject([{ amount_due: '9007199254740993' }]);
    expect(books.ledger).toMatchObject([{ amount: '9007199254740993' }, { amount: '-9007199254740993' }]);
    expect(books.outbox).toMatchObject([
      { payload: { amount: '9007199254740993' } },
      { payload: { amount: '9007199254740993' } },
    ]);
  });

  test('row ids above 2^31 are no limit', async () => {
    await sql`alter table ledger_entries alter column entry_id restart with 3000000001`.execute(db.database.kysely);
    await sql`alter table outbox alter column outbox_id restart with 3000000001`.execute(db.database.kysely);
    await sql`alter table anomalies alter column anomaly_id restart with 3000000001`.execute(db.database.kysely);
    await applyEvents(db.database, [invoiceEvent('paid'), invoiceEvent('voided')]);
    const { kysely } = db.database;
    expect(await kysely.selectFrom('outbox').select('outbox_id').orderBy('outbox_id').execute()).toEqual([
      { outbox_id: '3000000001' },
      { outbox_id: '3000000002' },
    ]);
    expect(await kysely.selectFrom('ledger_entries').select('entry_id').orderBy('entry_id').execute()).toEqual([
      { entry_id: '3000000001' },
      { entry_id: '3000000002' },
    ]);
    expect(await kysely.selectFrom('anomalies').select('anomaly_id').execute()).toEqual([{ anomaly_id: '3000000001' }]);
  });
});

test('a duplicate or an older event writes no new row version', async () => {
  const events = [invoiceEvent('payment_failed'), invoiceEvent('paid'), invoiceEvent('voided')];
  await applyEvents(db.database, events);
  const before = await readRowVersions(db.database);
  await applyEvents(db.database, [...events, invoiceEvent('created'), ...events.toReversed()]);
  expect(await readRowVersions(db.database)).toEqual(before);
  expect(before).toHaveLength(6);
});

describe('what cannot be booked', () => {
  test.each([
    ['a negative amount', { amount_paid: -1 }, 'payload.data.object.amount_paid'],
    ['an amount above 2^63 - 1', { amount_paid: 2n ** 63n }, 'payload.data.object.amount_paid'],
    ['a fraction', { amount_paid: 0.5 }, 'payload.data.object.amount_paid'],
    ['no amount', { amount_paid: null }, 'payload.data.object.amount_paid'],
    ['no currency', { currency: null }, 'payload.data.object.currency'],
    ['an unknown status', { status: 'settled' }, 'payload.data.object.status'],
    ['an id that cannot be stored', { id: 'in_\0' }, 'payload.data.object.id'],
  ])('%s is rejected by its path and writes nothing', async (_what, invoice, path) => {
    const outcome = await applyEvent(db.database, invoiceEvent('paid', { invoice }));
    expect(outcome).toMatchObject({ outcome: 'reject', code: 'unexpected_payload' });
    expect(outcome.outcome === 'reject' && outcome.reason).toContain(`${path}: `);
    expect(await readBooks(db.database)).toEqual({ invoices: [], ...nothing });
  });

  test('a currency that the books do not know yet throws each time, so that a migration can still save it', async () => {
    const event = invoiceEvent('paid', { invoice: { currency: 'usdc' } });
    const attempt = () => applyEvent(db.database, event).catch(classifyDatabaseError);
    expect([await attempt(), await attempt(), await attempt()]).toEqual(['constraint', 'constraint', 'constraint']);
    expect(await readBooks(db.database)).toEqual({ invoices: [], ...nothing });
  });
});
