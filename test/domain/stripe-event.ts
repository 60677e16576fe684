import type { JsonValue } from '@mailroom/kernel';
import type { GivenEvent } from './apply-event.ts';

type StripeObject = Readonly<Record<string, JsonValue>> & { readonly id: string; readonly object: string };

/** An event of Stripe about any object. The id is the type's unless it is given. */
export function stripeEvent(
  eventType: string,
  object: StripeObject,
  { id = `evt_${eventType}`, created = 1_790_000_000 } = {},
): GivenEvent {
  return {
    event: {
      provider: 'stripe',
      endpoint: 'billing',
      eventId: id,
      eventType,
      objectKey: `${object.object}/${object.id}`,
      providerTime: new Date(created * 1000),
      apiVersion: '2026-07-29.dahlia',
      account: null,
      livemode: false,
      receivedAt: new Date(created * 1000),
    },
    payload: { id, object: 'event', type: eventType, created, data: { object } },
  };
}
