import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { ShownInvoice } from './apply-invoice.ts';
import { invoiceStatuses } from './invoice-state.ts';

export interface StoredInvoice {
  readonly invoice_id: string;
  readonly status: string;
  /** The event that showed this status, the latest where several did. */
  readonly snapshot_event_id: string;
}

/**
 * Writes each invoice as its event shows it, unless a greater event has been seen: the order is (status, provider time, event
 * id), a total one, so the row ends the same in every order. Status comes first because `created` has whole seconds and says
 * nothing about which of two events is later. Takes each invoice once, and the rows in the order of their ids, so that two
 * statements take turns.
 *
 * Holds the rows' locks until the transaction ends, also of those that it does not write: whatever follows in the transaction
 * sees the invoices and their ledger entries as no concurrent handler can still change them. A duplicate or an older event
 * writes no row version.
 */
export async function upsertInvoices(
  tx: Tx,
  events: readonly ShownInvoice[],
): Promise<ReadonlyMap<string, StoredInvoice>> {
  const written = await tx
    .insertInto('invoices')
    .values(events.toSorted((a, b) => (a.payload.id < b.payload.id ? -1 : 1)).map(rowOf))
    .onConflict((conflict) =>
      conflict
        .column('invoice_id')
        .doUpdateSet((eb) => ({
          account: eb.ref('excluded.account'),
          customer: eb.ref('excluded.customer'),
          subscription: eb.ref('excluded.subscription'),
          currency: eb.ref('excluded.currency'),
          amount_due: eb.ref('excluded.amount_due'),
          amount_paid: eb.ref('excluded.amount_paid'),
          status: eb.ref('excluded.status'),
          snapshot_at: eb.ref('excluded.snapshot_at'),
          snapshot_event_id: eb.ref('excluded.snapshot_event_id'),
          updated_at: eb.ref('excluded.updated_at'),
        }))
        .where(sql<boolean>`${greatness('excluded')} > ${greatness('invoices')}`),
    )
    .returning(['invoice_id', 'status', 'snapshot_event_id'])
    .execute();
  const stored = new Map<string, StoredInvoice>(written.map((row) => [row.invoice_id, row]));
  const unwritten = events.map(({ payload: invoice }) => invoice.id).filter((id) => !stored.has(id));
  if (unwritten.length === 0) return stored;
  const found = await tx
    .selectFrom('invoices')
    .select(['invoice_id', 'status', 'snapshot_event_id'])
    .where('invoice_id', 'in', unwritten)
    .execute();
  for (const row of found) stored.set(row.invoice_id, row);
  return stored;
}

function rowOf({ event, payload: invoice }: ShownInvoice) {
  return {
    invoice_id: invoice.id,
    account: event.account,
    customer: invoice.customer,
    subscription: invoice.subscription,
    currency: invoice.currency,
    amount_due: invoice.amountDue,
    amount_paid: invoice.amountPaid,
    status: invoice.status,
    // An event without a time orders below all that have one.
    snapshot_at: event.providerTime ?? new Date(0),
    snapshot_event_id: event.eventId,
  };
}

function greatness(row: 'excluded' | 'invoices') {
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql`(
    array_position(${[...invoiceStatuses]}::text[], ${column('status')}),
    ${column('snapshot_at')},
    ${column('snapshot_event_id')} collate "C"
  )`;
}
