import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** The invoice is open, or paid at once when nothing is due. */
export const invoiceFinalized = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.finalized',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handleMany(tx, events) {
    await applyInvoices(tx, events);
    return events.map(() => done);
  },
});
