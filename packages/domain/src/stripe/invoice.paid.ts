import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/**
 * A payment succeeded. Booked only when the invoice in the event is paid: where it is still open (a part was paid) the
 * snapshot is kept and nothing is booked; the event that settles the rest is one of its own.
 */
export const invoicePaid = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.paid',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handleMany(tx, events) {
    await applyInvoices(tx, events);
    return events.map(() => done);
  },
});
