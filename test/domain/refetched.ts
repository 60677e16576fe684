import type { JsonValue } from '@mailroom/kernel';
import type { GivenEvent } from './apply-event.ts';

/**
 * The answer to a request on the topic `stripe.refetch`, as the relay hands it in: an event of its own, named after the outbox
 * row, whose time is the moment of asking and whose body holds the object as Stripe showed it.
 */
export function refetched(
  about: GivenEvent,
  { type, outboxId, askedAt, object }: { type: string; outboxId: string; askedAt: Date; object: JsonValue },
): GivenEvent {
  return {
    event: {
      ...about.event,
      eventId: `refetch:${outboxId}`,
      eventType: `mailroom.refetched.${type}`,
      providerTime: askedAt,
    },
    payload: { object: 'mailroom.refetched', data: { object } },
  };
}

/** The object in a Stripe event. */
export function objectOf({ payload }: GivenEvent): Readonly<Record<string, JsonValue>> {
  return (payload as { data: { object: Readonly<Record<string, JsonValue>> } }).data.object;
}
