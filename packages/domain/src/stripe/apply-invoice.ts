import type { Tx } from '@mailroom/db';
import type { HandledEvent } from '../handler.ts';
import { bookPayment } from './book-payment.ts';
import { recordPaymentOnVoidInvoice } from './payment-on-void-invoice.ts';
import type { Invoice } from './read-invoice.ts';
import { reversePayment } from './reverse-payment.ts';
import { upsertInvoice } from './upsert-invoice.ts';

/**
 * What every invoice event does, whichever comes first: keep the greatest snapshot, then let the books follow. The object in
 * the event decides, not the event's type, so an event that was lost is made up for by any later one.
 *
 * Paid books the payment once. Void and paid, in either order, end as: status void, the ledger's sum 0, one anomaly.
 */
export async function applyInvoice(tx: Tx, event: HandledEvent, invoice: Invoice): Promise<void> {
  const stored = await upsertInvoice(tx, event, invoice);
  if (invoice.status === 'void') return await reversePayment(tx, event, invoice);
  if (invoice.status !== 'paid') return;
  if (stored.status !== 'void') return await bookPayment(tx, event, invoice);
  await recordPaymentOnVoidInvoice(tx, invoice.key, {
    payment_event: event.eventId,
    void_event: stored.snapshot_event_id,
    amount: invoice.amountPaid.toString(),
    currency: invoice.currency,
  });
}
