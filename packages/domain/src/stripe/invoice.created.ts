import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** A draft exists. Often arrives after what came of it. */
export const invoiceCreated = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.created',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handleMany(tx, events) {
    await applyInvoices(tx, events);
    return events.map(() => done);
  },
});
