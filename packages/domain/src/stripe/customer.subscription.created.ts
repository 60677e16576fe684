import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applySubscription } from './apply-subscription.ts';
import { subscriptionEvent } from './read-subscription.ts';

/** A subscription exists: incomplete until its first payment, trialing or active at once. */
export const customerSubscriptionCreated = defineHandler({
  provider: 'stripe',
  eventType: 'customer.subscription.created',
  payload: subscriptionEvent,
  onTie: 'refetch',
  ownRowsOnly: true,
  async handle({ tx, event, payload: subscription, onTie }) {
    await applySubscription(tx, event, subscription, onTie);
    return done;
  },
});
