import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { isFailing } from '../bench-event.ts';
import { MeantToFail, type PaidInvoice } from './invoice.ts';

/** How the peers' handlers send a statement: by name, so that the server plans it once a connection. */
export type Send = (statement: {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}) => Promise<unknown>;

/** The business work of one event, in a transaction that the caller opened: three statements, one after another. */
export async function writeOne(send: Send, invoice: PaidInvoice, mayFail: boolean): Promise<void> {
  const { eventId, invoiceId, customer, amount } = invoice;
  await send({ name: 'bench_invoice', text: invoiceText, values: [invoiceId, customer, amount] });
  if (mayFail && isFailing(eventId)) throw new MeantToFail();
  await send({ name: 'bench_ledger', text: ledgerText, values: [invoiceId, amount, eventId] });
  await send({ name: 'bench_outbox', text: outboxText, values: [invoiceId, messageOf(invoice)] });
}

/** The same for many events: three statements for all of them. */
export async function writeMany(send: Send, invoices: readonly PaidInvoice[]): Promise<void> {
  const { eventIds, invoiceIds, customers, amounts, messages } = columnsOf(invoices);
  await send({ name: 'bench_invoices', text: invoicesText, values: [invoiceIds, customers, amounts] });
  await send({ name: 'bench_ledgers', text: ledgersText, values: [invoiceIds, amounts, eventIds] });
  await send({ name: 'bench_outboxes', text: outboxesText, values: [invoiceIds, messages] });
}

/** The business work of one event as a handler of Mailroom writes it: the same three statements, through Kysely. */
export async function writeOneInTx(tx: Tx, invoice: PaidInvoice, mayFail: boolean): Promise<void> {
  const { eventId, invoiceId, customer, amount } = invoice;
  await sql`insert into bench_invoice (invoice_id, customer, status, amount) values (${invoiceId}, ${customer}, 'paid', ${amount})
    on conflict (invoice_id) do update set status = excluded.status, amount = excluded.amount, updated_at = now()`.execute(
    tx,
  );
  if (mayFail && isFailing(eventId)) throw new MeantToFail();
  await sql`insert into bench_ledger (invoice_id, kind, amount, event_id) values (${invoiceId}, 'payment', ${amount}, ${eventId})
    on conflict do nothing`.execute(tx);
  await sql`insert into bench_outbox (topic, aggregate, payload) values ('invoice.paid', ${invoiceId}, ${messageOf(invoice)})`.execute(
    tx,
  );
}

/** The same for many events, through Kysely. */
export async function writeManyInTx(tx: Tx, invoices: readonly PaidInvoice[]): Promise<void> {
  const { eventIds, invoiceIds, customers, amounts, messages } = columnsOf(invoices);
  await sql`insert into bench_invoice (invoice_id, customer, status, amount)
    select invoice_id, customer, 'paid', amount from unnest(${invoiceIds}::text[], ${customers}::text[], ${amounts}::bigint[])
      as n (invoice_id, customer, amount)
    on conflict (invoice_id) do update set status = excluded.status, amount = excluded.amount, updated_at = now()`.execute(
    tx,
  );
  await sql`insert into bench_ledger (invoice_id, kind, amount, event_id)
    select invoice_id, 'payment', amount, event_id from unnest(${invoiceIds}::text[], ${amounts}::bigint[], ${eventIds}::text[])
      as n (invoice_id, amount, event_id)
    on conflict do nothing`.execute(tx);
  await sql`insert into bench_outbox (topic, aggregate, payload)
    select 'invoice.paid', aggregate, payload::jsonb from unnest(${invoiceIds}::text[], ${messages}::text[])
      as n (aggregate, payload)`.execute(tx);
}

const invoiceText = `insert into bench_invoice (invoice_id, customer, status, amount) values ($1, $2, 'paid', $3)
  on conflict (invoice_id) do update set status = excluded.status, amount = excluded.amount, updated_at = now()`;
const ledgerText = `insert into bench_ledger (invoice_id, kind, amount, event_id) values ($1, 'payment', $2, $3) on conflict do nothing`;
const outboxText = `insert into bench_outbox (topic, aggregate, payload) values ('invoice.paid', $1, $2)`;

const invoicesText = `insert into bench_invoice (invoice_id, customer, status, amount)
  select invoice_id, customer, 'paid', amount from unnest($1::text[], $2::text[], $3::bigint[]) as n (invoice_id, customer, amount)
  on conflict (invoice_id) do update set status = excluded.status, amount = excluded.amount, updated_at = now()`;
const ledgersText = `insert into bench_ledger (invoice_id, kind, amount, event_id)
  select invoice_id, 'payment', amount, event_id from unnest($1::text[], $2::bigint[], $3::text[]) as n (invoice_id, amount, event_id)
  on conflict do nothing`;
const outboxesText = `insert into bench_outbox (topic, aggregate, payload)
  select 'invoice.paid', aggregate, payload::jsonb from unnest($1::text[], $2::text[]) as n (aggregate, payload)`;

function messageOf({ invoiceId, customer, amount }: PaidInvoice): string {
  return JSON.stringify({ invoice: invoiceId, customer, amount: String(amount), currency: 'eur' });
}

function columnsOf(invoices: readonly PaidInvoice[]) {
  return {
    eventIds: invoices.map(({ eventId }) => eventId),
    invoiceIds: invoices.map(({ invoiceId }) => invoiceId),
    customers: invoices.map(({ customer }) => customer),
    amounts: invoices.map(({ amount }) => amount),
    messages: invoices.map(messageOf),
  };
}
