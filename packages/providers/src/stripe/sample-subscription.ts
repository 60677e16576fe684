import type { JsonValue } from '@mailroom/kernel';
import type { SampleValues } from '../provider.ts';

export type SubscriptionStage = 'created' | 'trial_will_end' | 'paused' | 'resumed' | 'updated' | 'deleted';

/**
 * The subscription of the sample invoice: a trial of 14 days that ran out without a card, a pause, a card, a wish to stop, the end.
 * As the API shows it since 2025-03-31: its period stands on the item.
 */
export function sampleSubscription({ tag, nowMs }: SampleValues, stage: SubscriptionStage): JsonValue {
  const now = Math.floor(nowMs / 1000);
  const begun = now + secondsFromEnd('created');
  return {
    id: `sub_${tag}`,
    object: 'subscription',
    application: null,
    billing_cycle_anchor: begun,
    cancel_at: stage === 'updated' || stage === 'deleted' ? now : null,
    cancel_at_period_end: stage === 'updated' || stage === 'deleted',
    canceled_at: stage === 'deleted' ? now : null,
    collection_method: 'charge_automatically',
    created: begun,
    currency: 'eur',
    customer: `cus_${tag}`,
    ended_at: stage === 'deleted' ? now : null,
    items: {
      object: 'list',
      data: [
        {
          id: `si_${tag}`,
          object: 'subscription_item',
          created: begun,
          current_period_start: begun,
          current_period_end: now,
          metadata: {},
          price: { id: 'price_ProMonthly', object: 'price', currency: 'eur', unit_amount: 1900 },
          quantity: 2,
          subscription: `sub_${tag}`,
        },
      ],
      has_more: false,
      url: `/v1/subscription_items?subscription=sub_${tag}`,
    },
    latest_invoice: `in_${tag}`,
    livemode: false,
    metadata: {},
    pause_collection: null,
    start_date: begun,
    status: statusOf[stage],
    trial_end: begun + 14 * day,
    trial_start: begun,
  };
}

/** When each stage is reached, seconds before the sample's own time, which is the end. */
export function secondsFromEnd(stage: SubscriptionStage): number {
  return -day * daysFromEnd[stage];
}

const daysFromEnd: Readonly<Record<SubscriptionStage, number>> = {
  created: 44,
  trial_will_end: 33,
  paused: 30,
  resumed: 29,
  updated: 5,
  deleted: 0,
};

const statusOf: Readonly<Record<SubscriptionStage, string>> = {
  created: 'trialing',
  trial_will_end: 'trialing',
  paused: 'paused',
  resumed: 'active',
  updated: 'active',
  deleted: 'canceled',
};

const day = 24 * 3600;
