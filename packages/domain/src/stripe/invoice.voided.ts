import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** The invoice is void: nobody shall pay it. A payment that was booked before is reversed. */
export const invoiceVoided = defineHandler({
  provider: 'stripe',
  eventType: 'invoice.voided',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handleMany(tx, events) {
    await applyInvoices(tx, events);
    return events.map(() => done);
  },
});
