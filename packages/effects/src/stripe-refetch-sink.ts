import type { Database } from '@mailroom/db';
import type { Receiver } from '@mailroom/inbox';
import type { OutgoingMessage, SendResult, Sink } from '@mailroom/outbox';
import { z } from 'zod';
import { afterLimitMs, limitedForMs, limitProvider } from './provider-limit.ts';
import { type StripeAnswer, type StripeApi, type StripeObject, stripeApiVersion } from './stripe-api.ts';
import { failureOf } from './stripe-failure.ts';

export interface StripeRefetchSinkOptions {
  readonly database: Database;
  readonly api: StripeApi;
  /** Takes the answer, as it takes any delivery. The sink's alone: closed with it. */
  readonly receiver: Receiver;
}

/**
 * Asks Stripe for an object, for messages of the topic `stripe.refetch`, and hands the answer in as an event of its own: docs/handlers.md,
 * "Asking again". Reads only, so it may happen any number of times; the event's id is the message's, so the answer counts once.
 */
export function stripeRefetchSink({ database, api, receiver }: StripeRefetchSinkOptions): Sink {
  return { name: 'stripe-refetch', send, close: () => receiver.close() };

  async function send(message: OutgoingMessage): Promise<SendResult> {
    const reading = request.safeParse(message.payload);
    if (!reading.success || message.source === null) {
      return { outcome: 'permanent', reason: 'the message does not say what to ask for, or for which event' };
    }
    const wanted = reading.data;
    if (wanted.livemode !== null && api.livemode !== null && wanted.livemode !== api.livemode) {
      return { outcome: 'permanent', reason: 'the message and STRIPE_API_KEY are of different modes, live and test' };
    }
    const limitMs = await limitedForMs(database, 'stripe');
    if (limitMs > 0)
      return { outcome: 'postponed', reason: 'Stripe asked for fewer requests', delayMs: afterLimitMs(limitMs) };
    let found: Found;
    try {
      found = await fetchObject(api, wanted);
    } catch (error) {
      return await failed(error);
    }
    const eventId = `refetch:${message.id}`;
    await receiver.receive({
      provider: message.source.provider,
      endpoint: message.source.endpoint,
      body: Buffer.from(JSON.stringify({ object: 'mailroom.refetched', data: { object: found.object } })),
      contentType: 'application/json',
      headers: {},
      secretLabel: null,
      origin: 'outbox',
      events: [
        {
          eventId,
          eventType: `mailroom.refetched.${wanted.type}`,
          objectKey: wanted.object_key,
          providerTime: found.askedAt,
          apiVersion: stripeApiVersion,
          account: wanted.account,
          livemode: wanted.livemode,
          itemPath: null,
          quarantineReason: null,
        },
      ],
    });
    return { outcome: 'sent', result: { event_id: eventId } };
  }

  async function failed(error: unknown): Promise<SendResult> {
    const failure = failureOf(error);
    switch (failure.kind) {
      case 'limited': {
        const delayMs = await limitProvider(database, 'stripe', failure);
        return { outcome: 'postponed', reason: failure.reason, delayMs: afterLimitMs(delayMs) };
      }
      case 'key_refused':
        return { outcome: 'postponed', reason: `${failure.reason}: see STRIPE_API_KEY`, delayMs: 60_000 };
      case 'refused':
        return { outcome: 'permanent', reason: failure.reason };
      case 'again':
      case 'stored':
        return { outcome: 'transient', reason: failure.reason };
    }
  }
}

const request = z.object({
  type: z.string().regex(/^[a-z_]{1,100}$/),
  id: z.string().regex(/^\w{1,255}$/),
  account: z
    .string()
    .regex(/^\w{1,255}$/)
    .nullable(),
  livemode: z.boolean().nullable(),
  object_key: z.string().nullable(),
});

interface Found {
  readonly object: StripeObject;
  /** The object was at least as new as this. */
  readonly askedAt: Date;
}

async function fetchObject(api: StripeApi, { type, id, account }: z.infer<typeof request>): Promise<Found> {
  const answer = await api.call('GET', `/v1/${type}s/${id}`, { account });
  const askedAt = timeOf(answer);
  if (type !== 'charge') return { object: answer.body, askedAt };
  // Since version 2022-11-15 a charge does not show its refunds.
  const refunds: StripeObject[] = [];
  for (let after: unknown; ; after = refunds.at(-1)?.['id']) {
    const params = { charge: id, limit: 100, starting_after: after };
    const { body } = await api.call('GET', '/v1/refunds', { params, account });
    refunds.push(...(body['data'] as readonly StripeObject[]));
    if (body['has_more'] !== true) break;
  }
  return { object: { ...answer.body, refunds: { object: 'list', data: refunds, has_more: false } }, askedAt };
}

/** Stripe's clock when it answered, less the time that the request took, in whole seconds: then it had not been read yet. */
function timeOf({ headers, tookMs }: StripeAnswer): Date {
  const answeredAtMs = Date.parse(headers['date'] ?? '');
  // A proxy may strip the header; our clock is the next best.
  const atMs = (Number.isNaN(answeredAtMs) ? Date.now() : answeredAtMs) - tookMs;
  return new Date(Math.floor(atMs / 1_000) * 1_000);
}
