import type { JsonValue } from '@mailroom/kernel';
import type { GivenEvent } from './apply-event.ts';

export interface SubscriptionEventDetails {
  readonly id?: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly status?: string;
  /** What else differs in `data.object`. */
  readonly object?: Readonly<Record<string, JsonValue>>;
}

const statusOf: Readonly<Record<string, string>> = {
  created: 'incomplete',
  updated: 'active',
  paused: 'paused',
  resumed: 'active',
  trial_will_end: 'trialing',
  deleted: 'canceled',
};

/** Unix seconds of the events that are given no time of their own. */
export const subscriptionSecond = 1_790_000_000;

/** An event about the subscription `sub_1`: `subscriptionEvent('updated')`. */
export function subscriptionEvent(what: string, details: SubscriptionEventDetails = {}): GivenEvent {
  const { created = subscriptionSecond, id = `evt_${what}`, object = {} } = details;
  const eventType = `customer.subscription.${what}`;
  return {
    event: {
      provider: 'stripe',
      endpoint: 'billing',
      eventId: id,
      eventType,
      objectKey: 'subscription/sub_1',
      providerTime: new Date(created * 1000),
      apiVersion: '2026-07-29.dahlia',
      account: null,
      livemode: false,
      receivedAt: new Date(created * 1000),
    },
    payload: {
      id,
      object: 'event',
      type: eventType,
      created,
      data: {
        object: {
          id: 'sub_1',
          object: 'subscription',
          customer: 'cus_1',
          status: details.status ?? statusOf[what] ?? null,
          cancel_at_period_end: false,
          trial_end: null,
          items: { object: 'list', data: [{ id: 'si_1', current_period_end: 1_792_000_000 }] },
          ...object,
        },
      },
    },
  };
}
