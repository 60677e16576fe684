import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyRefunds } from './apply-refund.ts';
import { refundEvent } from './read-refund.ts';

/** A refund went on, or its reference at the bank became known. */
export const refundUpdated = defineHandler({
  provider: 'stripe',
  eventType: 'refund.updated',
  payload: refundEvent,
  onTie: 'keep',
  async handle({ tx, event, payload: refund, onTie }) {
    await applyRefunds(tx, event, [refund], onTie);
    return done;
  },
});
