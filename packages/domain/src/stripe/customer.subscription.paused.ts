import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applySubscription } from './apply-subscription.ts';
import { subscriptionEvent } from './read-subscription.ts';

/** Its trial ended without a way to pay. Not `pause_collection`, which is an update. */
export const customerSubscriptionPaused = defineHandler({
  provider: 'stripe',
  eventType: 'customer.subscription.paused',
  payload: subscriptionEvent,
  onTie: 'refetch',
  ownRowsOnly: true,
  async handle({ tx, event, payload: subscription, onTie }) {
    await applySubscription(tx, event, subscription, onTie);
    return done;
  },
});
