import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { compare, type Difference, differencesOf } from './compare.ts';
import { expectedRows } from './expected.ts';
import { foundRows } from './found.ts';
import { printComparison } from './print-comparison.ts';
import { type Delivery, good, refused } from './storm-delivery.ts';
import { bodyOf, type Invoice, type InvoiceEventType, invoiceAt, type StripeEvent } from './stripe-events.ts';

const run = 'stormtest';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

const tables = [
  'webhook_inbox',
  'webhook_delivery',
  'inbox_duplicates',
  'outbox',
  'anomalies',
  'ledger_entries',
  'invoices',
];
beforeEach(async () => {
  for (const table of tables) await db.database.pool.query(`delete from ${table}`);
});

describe('the comparison after a storm', () => {
  const paid = event(1, 'invoice.paid');
  const forged = event(2, 'invoice.paid');
  const deliveries: readonly Delivery[] = [good(paid), good(paid), refused(forged, 'wrong-secret')];
  beforeEach(() => storePaid(paid));

  it('finds nothing wrong in a database that is right', async () => {
    const comparisons = compare(expectedRows(deliveries), await readRun());
    expect(differencesOf(comparisons)).toEqual([]);
    // It did look at rows: one of each but the anomalies.
    expect(comparisons.map(({ table, wanted, found }) => [table, wanted, found])).toEqual([
      ['webhook_inbox', 1, 1],
      ['webhook_delivery', 1, 1],
      ['inbox_duplicates', 1, 1],
      ['invoices', 1, 1],
      ['ledger_entries', 1, 1],
      ['outbox', 1, 1],
      ['anomalies', 0, 0],
    ]);
  });

  const faults: readonly (readonly [name: string, sql: string, difference: Partial<Difference>])[] = [
    ['a lost event', 'delete from webhook_inbox', { table: 'webhook_inbox', key: paid.id, kind: 'missing' }],
    [
      'a lost effect',
      'delete from ledger_entries',
      { table: 'ledger_entries', key: `${paid.invoice?.id} payment`, kind: 'missing' },
    ],
    [
      'a lost duplicate count',
      'update inbox_duplicates set count = 2',
      { table: 'inbox_duplicates', key: paid.id, kind: 'different', detail: 'count: wanted 1, found 2' },
    ],
    [
      'a doubled effect',
      `insert into outbox (topic, aggregate, payload, event_id) select topic, aggregate, payload, event_id from outbox`,
      { table: 'outbox', key: `stripe:invoice:${paid.invoice?.id} invoice.paid`, kind: 'double' },
    ],
    [
      'a wrong state',
      `update webhook_inbox set state = 'ignored', state_reason = 'planted'`,
      { table: 'webhook_inbox', key: paid.id, kind: 'different', detail: 'state: wanted processed, found ignored' },
    ],
    [
      'an amount that was rounded',
      'update ledger_entries set amount = amount + 1',
      { table: 'ledger_entries', kind: 'different', detail: 'amount: wanted 2500, found 2501' },
    ],
    [
      'a body that was changed',
      `update webhook_delivery set body = body || ' '`,
      { table: 'webhook_delivery', key: paid.id, kind: 'different' },
    ],
    [
      'a forged delivery that was kept',
      `insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, max_attempts)
       values ('stripe', 'billing', '${forged.id}', gen_random_uuid(), 'invoice.paid', 25)`,
      { table: 'webhook_inbox', key: forged.id, kind: 'unexpected' },
    ],
    [
      'an effect of a forged delivery',
      `insert into invoices (invoice_id, status, snapshot_at, snapshot_event_id)
       values ('${forged.invoice?.id}', 'paid', now(), '${forged.id}')`,
      { table: 'invoices', key: forged.invoice?.id, kind: 'unexpected' },
    ],
  ];
  it.each(faults)('names %s', async (_name, sql, difference) => {
    await db.database.pool.query(sql);
    const comparisons = compare(expectedRows(deliveries), await readRun());
    expect(differencesOf(comparisons)).toContainEqual(expect.objectContaining(difference));
    expect(printComparison(comparisons)).toContain(`${difference.kind}: ${difference.table}`);
  });
});

async function readRun() {
  const client = await db.database.pool.connect();
  try {
    return await foundRows(client, run);
  } finally {
    client.release();
  }
}

function event(number: number, type: InvoiceEventType): StripeEvent & { readonly invoice: Invoice } {
  const invoice = invoiceAt(type, { id: `in_${run}_${number}` });
  return { id: `evt_${run}_${number}`, type, created: 1_790_000_000, invoice };
}

async function query(sql: string, values: readonly unknown[]): Promise<void> {
  await db.database.pool.query(sql, [...values]);
}

/** What Mailroom leaves after this event came twice, written by hand. */
async function storePaid(paid: StripeEvent & { readonly invoice: Invoice }): Promise<void> {
  const { invoice } = paid;
  await query(
    `with delivery as (
       insert into webhook_delivery (delivery_id, provider, endpoint, content_type, body)
       values (gen_random_uuid(), 'stripe', 'billing', 'application/json; charset=utf-8', $3) returning delivery_id
     )
     insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, object_key, livemode, max_attempts,
       attempts, total_attempts, state, processed_at)
     select 'stripe', 'billing', $1, delivery_id, 'invoice.paid', 'invoice/' || $2::text, false, 25, 1, 1, 'processed', now()
     from delivery`,
    [paid.id, invoice.id, bodyOf(paid)],
  );
  await query(
    `insert into inbox_duplicates (provider, endpoint, event_id, count, first_at, last_at)
     values ('stripe', 'billing', $1, 1, now(), now())`,
    [paid.id],
  );
  await query(
    `insert into invoices (invoice_id, customer, subscription, currency, amount_due, amount_paid, status, snapshot_at,
       snapshot_event_id)
     values ($1, $2, $3, $4, $5, $6, 'paid', now(), $7)`,
    [
      invoice.id,
      invoice.customer,
      invoice.subscription,
      invoice.currency,
      invoice.amountDue,
      invoice.amountPaid,
      paid.id,
    ],
  );
  await query(
    `insert into ledger_entries (invoice_id, kind, amount, currency, provider, endpoint, event_id)
     values ($1, 'payment', $2, $3, 'stripe', 'billing', $4)`,
    [invoice.id, invoice.amountPaid, invoice.currency, paid.id],
  );
  await query(`insert into outbox (topic, aggregate, payload, event_id) values ('invoice.paid', $1, $2, $3)`, [
    `stripe:invoice:${invoice.id}`,
    {
      invoice: invoice.id,
      account: null,
      customer: invoice.customer,
      subscription: invoice.subscription,
      amount: String(invoice.amountPaid),
      currency: invoice.currency,
    },
    paid.id,
  ]);
}
