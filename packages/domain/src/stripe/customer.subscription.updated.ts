import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applySubscription } from './apply-subscription.ts';
import { subscriptionEvent } from './read-subscription.ts';

/** Anything about it changed; by far the most frequent, and often several within one second. */
export const customerSubscriptionUpdated = defineHandler({
  provider: 'stripe',
  eventType: 'customer.subscription.updated',
  payload: subscriptionEvent,
  onTie: 'refetch',
  ownRowsOnly: true,
  async handle({ tx, event, payload: subscription, onTie }) {
    await applySubscription(tx, event, subscription, onTie);
    return done;
  },
});
