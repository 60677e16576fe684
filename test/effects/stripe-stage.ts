import { type Database, inTransaction } from '@mailroom/db';
import { callStripe, type HandledEvent, type StripeCall } from '@mailroom/domain';
import { openStripe, type StripeCallSinkOptions, stripeCallSink } from '@mailroom/effects';
import type { OutgoingMessage, SendResult, Sink } from '@mailroom/outbox';
import { type StripeFake, startStripeFake } from '../support/stripe-fake/start-stripe-fake.ts';

/** An event of stripe/billing as a handler sees it. */
export function stripeEvent(eventId: string, account: string | null = null): HandledEvent {
  return {
    provider: 'stripe',
    endpoint: 'billing',
    eventId,
    eventType: 'test.event',
    objectKey: null,
    providerTime: null,
    apiVersion: null,
    account,
    livemode: false,
    receivedAt: new Date(),
  };
}

/** Asks for a call as a handler does, and answers the message's id. */
export async function askFor(database: Database, event: HandledEvent, call: StripeCall): Promise<string> {
  await inTransaction(database, (tx) => callStripe(tx, event, call));
  const row = await database.kysely
    .selectFrom('outbox')
    .select('outbox_id')
    .where('topic', '=', 'stripe.call')
    .where('event_id', '=', event.eventId)
    .orderBy('outbox_id', 'desc')
    .executeTakeFirstOrThrow();
  return row.outbox_id;
}

export interface Stage {
  readonly fake: StripeFake;
  readonly sink: Sink;
  /** One attempt at a message, recorded as the relay records it; with `crash`, the process dies between the call and the record. */
  attempt(id: string, how?: { readonly crash?: true; readonly sink?: Sink }): Promise<SendResult>;
}

/** A Stripe with one charge of 10.00 on which an effect can be tried step by step, every step at its own time. */
export async function startStage(
  database: Database,
  options: Partial<StripeCallSinkOptions> = {},
): Promise<Stage & { close(): Promise<void> }> {
  const fake = await startStripeFake();
  fake.account().put('charges', { id: 'ch_1', amount: 1_000, currency: 'eur' });
  const api = openStripe({ apiKey: 'sk_test_fake', apiBase: fake.url });
  const sink = stripeCallSink({ database, api, ...options });
  return {
    fake,
    sink,
    attempt: async (id, { crash, sink: other = sink } = {}) => {
      const answer = await other.send(await messageOf(database, id), new AbortController().signal);
      if (crash) return answer;
      if ('record' in answer) await inTransaction(database, async (tx) => await answer.record?.(tx));
      return answer;
    },
    close: () => fake.close(),
  };
}

/** The message as a claim hands it out. */
async function messageOf(database: Database, id: string): Promise<OutgoingMessage> {
  const row = await database.kysely
    .selectFrom('outbox')
    .selectAll()
    .where('outbox_id', '=', id)
    .executeTakeFirstOrThrow();
  const { provider, endpoint, event_id: eventId } = row;
  return {
    id,
    topic: row.topic,
    aggregate: row.aggregate,
    payload: row.payload as OutgoingMessage['payload'],
    payloadText: JSON.stringify(row.payload),
    source: provider !== null && endpoint !== null && eventId !== null ? { provider, endpoint, eventId } : null,
    createdAt: row.created_at,
    attempt: 1,
    fencingToken: '1',
  };
}
