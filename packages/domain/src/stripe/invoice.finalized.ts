import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoice } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** The invoice is open, or paid at once when nothing is due. */
export const invoiceFinalized = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.finalized',
  payload: invoiceEvent,
  async handle({ tx, event, payload: invoice }) {
    await applyInvoice(tx, event, invoice);
    return done;
  },
});
