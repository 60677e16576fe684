import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoice } from './apply-invoice.ts';
import { countFailedPayment } from './count-failed-payment.ts';
import { invoiceEvent } from './read-invoice.ts';

/** A payment attempt failed; the invoice stays open. Often arrives after the attempt that succeeded. */
export const invoicePaymentFailed = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.payment_failed',
  payload: invoiceEvent,
  async handle({ tx, event, payload: invoice }) {
    await applyInvoice(tx, event, invoice);
    await countFailedPayment(tx, invoice);
    return done;
  },
});
