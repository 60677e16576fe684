import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyDispute } from './apply-dispute.ts';
import { disputeEvent } from './read-dispute.ts';

/** A customer disputes a payment: somebody has days to answer. */
export const chargeDisputeCreated = defineHandler({
  provider: 'stripe',
  eventType: 'charge.dispute.created',
  payload: disputeEvent,
  onTie: 'keep',
  ownRowsOnly: true,
  async handle({ tx, event, payload: dispute, onTie }) {
    await applyDispute(tx, event, dispute, onTie);
    return done;
  },
});
