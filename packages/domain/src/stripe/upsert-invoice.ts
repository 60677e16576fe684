import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { HandledEvent } from '../handler.ts';
import { invoiceStatuses } from './invoice-state.ts';
import type { Invoice } from './read-invoice.ts';

export interface StoredInvoice {
  readonly status: string;
  /** The event that showed this status, the latest where several did. */
  readonly snapshot_event_id: string;
}

/**
 * Writes the invoice as this event shows it, unless a greater event has been seen: the order is (status, provider time, event
 * id), a total one, so the row ends the same in every order. Status comes first because `created` has whole seconds and says
 * nothing about which of two events is later.
 *
 * Holds the row's lock until the transaction ends, also when it writes nothing: whatever follows in the transaction sees the
 * invoice and its ledger entries as no concurrent handler can still change them. A duplicate or an older event writes no row
 * version.
 */
export async function upsertInvoice(tx: Tx, event: HandledEvent, invoice: Invoice): Promise<StoredInvoice> {
  const written = await tx
    .insertInto('invoices')
    .values({
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
    })
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
    .returning(['status', 'snapshot_event_id'])
    .executeTakeFirst();
  if (written) return written;
  return await tx
    .selectFrom('invoices')
    .select(['status', 'snapshot_event_id'])
    .where('invoice_id', '=', invoice.id)
    .executeTakeFirstOrThrow();
}

function greatness(row: 'excluded' | 'invoices') {
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql`(
    array_position(${[...invoiceStatuses]}::text[], ${column('status')}),
    ${column('snapshot_at')},
    ${column('snapshot_event_id')} collate "C"
  )`;
}
