import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoice } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** A draft exists. Often arrives after what came of it. */
export const invoiceCreated = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.created',
  payload: invoiceEvent,
  async handle({ tx, event, payload: invoice }) {
    await applyInvoice(tx, event, invoice);
    return done;
  },
});
