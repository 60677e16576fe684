import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyBatch, applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks, readBooks, sumOf } from './books.ts';
import { invoiceEvent, twinOf } from './invoice-events.ts';
import { permutations } from './permutations.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const created = invoiceEvent('created');
const finalized = invoiceEvent('finalized');
const failed = invoiceEvent('payment_failed');
const paid = invoiceEvent('paid');
const voided = invoiceEvent('voided');

/** How a worker applies events: each in a transaction of its own, or a batch of them in one, those of a type in sets. */
const ways = { 'one by one': applyEvents, 'in sets': applyBatch };
let apply = applyEvents;

async function endStateOf(order: readonly GivenEvent[]) {
  await emptyBooks(db.database);
  const outcomes = await apply(db.database, order);
  expect(outcomes.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  return { order: name(order), ...(await readBooks(db.database)) };
}

const customerOf = async (order: readonly GivenEvent[]) => (await endStateOf(order)).invoices[0]?.customer;

const name = (order: readonly GivenEvent[]) => order.map(({ event }) => event.eventId).join(' ');

const paidBooks = {
  invoices: [
    {
      invoice_id: 'in_1',
      status: 'paid',
      customer: 'cus_1',
      subscription: 'sub_1',
      currency: 'eur',
      amount_due: '2500',
      amount_paid: '2500',
      account: null,
      snapshot_at: paid.event.providerTime,
      snapshot_event_id: 'evt_paid',
      failed_payments: 1,
    },
  ],
  ledger: [{ invoice_id: 'in_1', kind: 'payment', amount: '2500', currency: 'eur', event_id: 'evt_paid' }],
  outbox: [
    {
      topic: 'invoice.paid',
      aggregate: 'stripe:invoice:in_1',
      payload: {
        invoice: 'in_1',
        account: null,
        customer: 'cus_1',
        subscription: 'sub_1',
        amount: '2500',
        currency: 'eur',
      },
      provider: 'stripe',
      endpoint: 'billing',
      event_id: 'evt_paid',
    },
  ],
  anomalies: [],
};

describe.each(Object.entries(ways))('%s', (_name, way) => {
  beforeEach(() => {
    apply = way;
  });

  describe('created, finalized, payment_failed and paid', () => {
    const orders = permutations([created, finalized, failed, paid]);

    test('there are 24 orders', () => expect(new Set(orders.map(name)).size).toBe(24));

    test.each(orders.map((order) => [name(order), order] as const))(
      '%s end the same: paid, booked once',
      async (_, order) => {
        expect(await endStateOf(order)).toEqual({ order: name(order), ...paidBooks });
      },
    );

    test('every order with everything twice ends the same: paid, booked once', async () => {
      for (const once of orders) {
        for (const order of [once.flatMap((event) => [event, event]), [...once, ...once]]) {
          expect(await endStateOf(order)).toEqual({ order: name(order), ...paidBooks });
        }
      }
    });

    test('every order with a second Event object for each fact is booked and told once', async () => {
      const twin = 'evt_paid_twin';
      for (const once of orders) {
        const order = once.flatMap((event) => [twinOf(event), event, event]);
        expect(await endStateOf(order)).toEqual({
          order: name(order),
          // The greater id names the snapshot, whichever of the two was first.
          invoices: [{ ...paidBooks.invoices[0], snapshot_event_id: twin }],
          ledger: [{ ...paidBooks.ledger[0], event_id: twin }],
          outbox: [{ ...paidBooks.outbox[0], event_id: twin }],
          anomalies: [],
        });
      }
    });
  });

  describe('paid and void', () => {
    const anomaly = {
      kind: 'payment_on_void_invoice',
      object_key: 'stripe:invoice:in_1',
      detail: { payment_event: 'evt_paid', void_event: 'evt_voided', amount: '2500', currency: 'eur' },
    };

    test('a payment on a void invoice books nothing, tells nobody and leaves an anomaly for a person', async () => {
      const books = await endStateOf([voided, paid]);
      expect(books.invoices).toMatchObject([{ status: 'void', snapshot_event_id: 'evt_voided' }]);
      expect(books).toMatchObject({ ledger: [], outbox: [], anomalies: [anomaly] });
    });

    test('a payment booked before the invoice turns out void is reversed and said to be, with the same anomaly', async () => {
      const books = await endStateOf([paid, voided]);
      expect(books.invoices).toMatchObject([{ status: 'void', snapshot_event_id: 'evt_voided' }]);
      expect(books.ledger).toMatchObject([
        { kind: 'payment', amount: '2500', event_id: 'evt_paid' },
        { kind: 'payment_reversal', amount: '-2500', event_id: 'evt_voided' },
      ]);
      expect(books.outbox).toMatchObject([
        { topic: 'invoice.paid', event_id: 'evt_paid' },
        { topic: 'invoice.payment_reversed', event_id: 'evt_voided', payload: { amount: '2500', currency: 'eur' } },
      ]);
      expect(books.anomalies).toEqual([anomaly]);
    });

    test('all five events in each of the 120 orders, with twins, end void with a sum of 0 and one anomaly', async () => {
      const orders = permutations([created, finalized, failed, paid, voided]);
      expect(orders).toHaveLength(120);
      for (const once of orders) {
        const order = once.flatMap((event) => [event, twinOf(event)]);
        const books = await endStateOf(order);
        expect({ ...books, sum: sumOf(books.ledger), told: books.outbox.length }).toMatchObject({
          order: name(order),
          invoices: [{ status: 'void', failed_payments: 1 }],
          sum: 0n,
          anomalies: [{ kind: anomaly.kind, object_key: anomaly.object_key }],
          // What was told and what was booked answer each other, whichever way it went.
          told: books.ledger.length,
        });
      }
    });

    test('an invoice.paid whose invoice is void by then counts as a payment on a void invoice', async () => {
      const books = await endStateOf([invoiceEvent('paid', { invoice: { status: 'void' } })]);
      expect(books).toMatchObject({ ledger: [], outbox: [], anomalies: [{ kind: anomaly.kind }] });
      expect(books.invoices).toMatchObject([{ status: 'void' }]);
    });
  });

  describe('which snapshot is kept', () => {
    test('a higher status wins over a later time', async () => {
      const early = invoiceEvent('paid', { created: 1000, invoice: { customer: 'cus_paid' } });
      const late = invoiceEvent('finalized', { created: 2000, invoice: { customer: 'cus_open' } });
      for (const order of permutations([early, late])) expect(await customerOf(order)).toBe('cus_paid');
    });

    test('within one status the later time wins, and within one second the greater event id, bytewise', async () => {
      const old = invoiceEvent('finalized', { id: 'evt_z', created: 1000, invoice: { customer: 'cus_old' } });
      const upper = invoiceEvent('finalized', { id: 'evt_B', created: 2000, invoice: { customer: 'cus_B' } });
      const lower = invoiceEvent('payment_failed', { id: 'evt_a', created: 2000, invoice: { customer: 'cus_a' } });
      for (const order of permutations([old, upper, lower])) expect(await customerOf(order)).toBe('cus_a');
    });

    test('an event without a time orders below all that have one', async () => {
      const timed = invoiceEvent('finalized', { id: 'evt_a', invoice: { customer: 'cus_timed' } });
      const given = invoiceEvent('finalized', { id: 'evt_b', invoice: { customer: 'cus_untimed' } });
      const untimed = { ...given, event: { ...given.event, providerTime: null } };
      for (const order of permutations([timed, untimed])) expect(await customerOf(order)).toBe('cus_timed');
    });
  });

  test('failed payments are counted by attempt: the same in every order, not doubled by twins', async () => {
    const attempts = [1, 2, 3].map((attempt) =>
      invoiceEvent('payment_failed', { id: `evt_failed_${attempt}`, invoice: { attempt_count: attempt } }),
    );
    for (const once of permutations([...attempts, paid])) {
      const order = once.flatMap((event) => [event, twinOf(event)]);
      const books = await endStateOf(order);
      expect(books).toMatchObject({ order: name(order), invoices: [{ status: 'paid', failed_payments: 3 }] });
    }
  });
});
