import { done } from '@mailroom/kernel';
import { defineHandler } from '../define-handler.ts';
import { tellOnce } from '../tell-once.ts';
import { applySubscription } from './apply-subscription.ts';
import { subscriptionEvent } from './read-subscription.ts';

/** The trial ends within three days. Told once for each end that the trial was given. */
export const customerSubscriptionTrialWillEnd = defineHandler({
  provider: 'stripe',
  eventType: 'customer.subscription.trial_will_end',
  payload: subscriptionEvent,
  onTie: 'refetch',
  ownRowsOnly: true,
  async handle({ tx, event, payload: subscription, onTie }) {
    await applySubscription(tx, event, subscription, onTie);
    const trialEnd = subscription.trialEnd?.toISOString() ?? null;
    await tellOnce(tx, {
      topic: 'subscription.trial_will_end',
      aggregate: subscription.key,
      fact: `trial ends ${trialEnd}`,
      payload: {
        subscription: subscription.id,
        account: event.account,
        customer: subscription.customer,
        trial_end: trialEnd,
      },
      source: event,
    });
    return done;
  },
});
