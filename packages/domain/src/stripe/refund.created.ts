import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyRefunds } from './apply-refund.ts';
import { refundEvent } from './read-refund.ts';

/** A refund was asked for; often it has succeeded at once. */
export const refundCreated = defineHandler({
  provider: 'stripe',
  eventType: 'refund.created',
  payload: refundEvent,
  onTie: 'keep',
  async handle({ tx, event, payload: refund, onTie }) {
    await applyRefunds(tx, event, [refund], onTie);
    return done;
  },
});
