import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { countFailedPayments } from './count-failed-payment.ts';
import { invoiceEvent } from './read-invoice.ts';

/** A payment attempt failed; the invoice stays open. Often arrives after the attempt that succeeded. */
export const invoicePaymentFailed = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.payment_failed',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handleMany(tx, events) {
    await applyInvoices(tx, events);
    await countFailedPayments(tx, events);
    return events.map(() => done);
  },
});
