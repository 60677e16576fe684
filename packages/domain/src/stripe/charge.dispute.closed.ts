import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyDispute } from './apply-dispute.ts';
import { disputeEvent } from './read-dispute.ts';

/** The dispute is decided. */
export const chargeDisputeClosed = defineHandler({
  provider: 'stripe',
  eventType: 'charge.dispute.closed',
  payload: disputeEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: dispute, onTie }) {
    await applyDispute(tx, event, dispute, onTie);
    return done;
  },
});
