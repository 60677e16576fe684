import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyInvoices } from './apply-invoice.ts';
import { invoiceEvent } from './read-invoice.ts';

/** An invoice as Stripe showed it when it was asked: a comparison found that ours differs, and somebody let it in. */
export const mailroomRefetchedInvoice = defineHandler({
  provider: 'stripe',
  eventType: 'mailroom.refetched.invoice',
  payload: invoiceEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload }) {
    await applyInvoices(tx, [{ event, payload }]);
    return done;
  },
});
