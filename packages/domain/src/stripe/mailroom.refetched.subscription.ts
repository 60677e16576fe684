import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { applySubscription } from './apply-subscription.ts';
import { subscriptionEvent } from './read-subscription.ts';

/**
 * The subscription as Stripe showed it when it was asked. The event's time is the moment of asking, later than the tie, so this
 * snapshot settles it; an answer that comes after something newer changes nothing.
 */
export const mailroomRefetchedSubscription = defineHandler({
  provider: 'stripe',
  eventType: 'mailroom.refetched.subscription',
  payload: subscriptionEvent,
  onTie: 'refetch',
  ownRowsOnly: true,
  async handle({ tx, event, payload: subscription, onTie }) {
    await applySubscription(tx, event, subscription, onTie);
    return done;
  },
});
