import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoice } from './apply-invoice.ts';
import { recordPaymentOnVoidInvoice } from './payment-on-void-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/**
 * A payment succeeded. Booked only when the invoice in the event is paid: where it is still open (a part was paid) the
 * snapshot is kept and nothing is booked; the event that settles the rest is one of its own.
 */
export const invoicePaid = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.paid',
  payload: invoiceEvent,
  async handle({ tx, event, payload: invoice }) {
    await applyInvoice(tx, event, invoice);
    // The event says that money came, its object that the invoice was void by then.
    if (invoice.status === 'void') {
      await recordPaymentOnVoidInvoice(tx, invoice.key, {
        payment_event: event.eventId,
        void_event: event.eventId,
        amount: invoice.amountPaid?.toString() ?? null,
        currency: invoice.currency,
      });
    }
    return done;
  },
});
