import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyRefunds } from './apply-refund.ts';
import { refundedChargeEvent } from './read-refund.ts';

/** A charge with all its refunds, as Stripe showed them when it was asked. What is still missing then is not asked for again. */
export const mailroomRefetchedCharge = defineHandler({
  provider: 'stripe',
  eventType: 'mailroom.refetched.charge',
  payload: refundedChargeEvent,
  onTie: 'keep',
  async handle({ tx, event, payload: charge, onTie }) {
    await applyRefunds(tx, event, charge.refunds, onTie);
    return done;
  },
});
