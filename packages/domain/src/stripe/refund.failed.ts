import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applyRefunds } from './apply-refund.ts';
import { refundEvent } from './read-refund.ts';

/** The bank refused a refund, perhaps one that had succeeded: the money is with us again. */
export const refundFailed = defineHandler({
  provider: 'stripe',
  eventType: 'refund.failed',
  payload: refundEvent,
  onTie: 'keep',
  async handle({ tx, event, payload: refund, onTie }) {
    await applyRefunds(tx, event, [refund], onTie);
    return done;
  },
});
