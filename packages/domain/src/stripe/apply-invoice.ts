import type { Tx } from '@mailroom/db';
import type { HandledEvent } from '../handler.ts';
import { inRounds } from '../in-rounds.ts';
import { bookPayments } from './book-payment.ts';
import { recordPaymentOnVoidInvoice } from './payment-on-void-invoice.ts';
import type { Invoice, PaidInvoice } from './read-invoice.ts';
import { reversePayment } from './reverse-payment.ts';
import { upsertInvoices } from './upsert-invoice.ts';

/** An invoice as one event shows it. */
export interface ShownInvoice<Shown extends Invoice = Invoice> {
  readonly event: HandledEvent;
  readonly payload: Shown;
}

/**
 * What every invoice event does, whichever comes first: keep the greatest snapshot, then let the books follow. The object in
 * the event decides, not the event's type, so an event that was lost is made up for by any later one.
 *
 * Paid books the payment once. Void and paid, in either order, end as: status void, the ledger's sum 0, one anomaly.
 *
 * Many events take the statements of one and end as one after another: events about one invoice go in rounds of their own.
 */
export async function applyInvoices(tx: Tx, events: readonly ShownInvoice[]): Promise<void> {
  for (const round of inRounds(events, ({ payload: invoice }) => invoice.id)) await applyRound(tx, round);
}

async function applyRound(tx: Tx, events: readonly ShownInvoice[]): Promise<void> {
  const stored = await upsertInvoices(tx, events);
  const voidEventOf = ({ id }: Invoice) => {
    const invoice = stored.get(id);
    return invoice?.status === 'void' ? invoice.snapshot_event_id : null;
  };
  const paid = events.filter(isPaid);
  const booking = paid.filter(({ payload: invoice }) => voidEventOf(invoice) === null);
  await bookPayments(tx, booking);
  for (const { event, payload: invoice } of events) {
    if (invoice.status === 'void') await reversePayment(tx, event, invoice);
    const voidEvent = voidEventOf(invoice);
    // Either the object says paid, or the event says that money came and its object that the invoice was void by then.
    const moneyCame = invoice.status === 'paid' || (invoice.status === 'void' && event.eventType === 'invoice.paid');
    if (voidEvent !== null && moneyCame) {
      await recordPaymentOnVoidInvoice(tx, invoice, { paymentEvent: event.eventId, voidEvent });
    }
  }
}

function isPaid(shown: ShownInvoice): shown is ShownInvoice<PaidInvoice> {
  return shown.payload.status === 'paid';
}
