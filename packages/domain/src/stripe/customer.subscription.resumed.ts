import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applySubscription } from './apply-subscription.ts';
import { subscriptionEvent } from './read-subscription.ts';

/** It is active again after a pause. */
export const customerSubscriptionResumed = defineHandler({
  provider: 'stripe',
  eventType: 'customer.subscription.resumed',
  payload: subscriptionEvent,
  onTie: 'refetch',
  ownRowsOnly: true,
  async handle({ tx, event, payload: subscription, onTie }) {
    await applySubscription(tx, event, subscription, onTie);
    return done;
  },
});
