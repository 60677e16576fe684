import type { JsonValue } from '@mailroom/kernel';
// Types only: nothing of the package is loaded here.
import type { Stripe } from 'stripe';
import { z } from 'zod';

type StripeEventType = Stripe.Event['type'];

/** The event types that a provider documents, as far as its types are known here, for an editor to offer; any other goes too. */
export type EventTypeOf<Provider extends string> = (Provider extends 'stripe' ? StripeEventType : never) | AnyText;

/** What a handler sees that gives no schema: `StripePayload` for Stripe, any JSON for the others. */
export type PayloadOf<Provider extends string, EventType extends string> = Provider extends 'stripe'
  ? StripePayload<EventType>
  : JsonValue;

/**
 * A Stripe event as Stripe's own types describe it, as far as that can be believed. They describe one API version, while an
 * endpoint keeps the version it was made with: so every field may be missing, every text may be another one, and an integer
 * beyond 2^53 is a `bigint`. Only what `stripePayload` checks is certain.
 */
export type StripePayload<EventType extends string> = AsSent<StripeEvent<EventType>> & {
  readonly data: { readonly object: AsSent<StripeEvent<EventType>['data']['object']> & { readonly object: string } };
};

/** What any event with an object in it has, and all that is checked where a handler gives no schema. */
const stripePayload = z.looseObject({ data: z.looseObject({ object: z.looseObject({ object: z.string().min(1) }) }) });

/** The schema of a handler that gives none. */
export function schemaOf<Payload>(provider: string): z.ZodType<Payload> {
  const schema = provider === 'stripe' ? stripePayload : z.unknown();
  return schema as unknown as z.ZodType<Payload>;
}

type StripeEvent<EventType extends string> = EventType extends StripeEventType
  ? Extract<Stripe.Event, { readonly type: EventType }>
  : Stripe.Event;

type AsSent<Value> = Value extends number
  ? number | bigint
  : Value extends string
    ? Value | AnyText
    : Value extends readonly (infer Item)[]
      ? readonly AsSent<Item>[]
      : Value extends object
        ? { readonly [Key in keyof Value]?: AsSent<Value[Key]> }
        : Value;

// An intersection, so that an editor still offers the texts that are known.
type AnyText = string & {};
