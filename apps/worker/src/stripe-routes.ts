import type { Config } from '@mailroom/config';
import type { Database } from '@mailroom/db';
import { openStripe, stripeCallSink, stripeRefetchSink } from '@mailroom/effects';
import { createReceiver } from '@mailroom/inbox';
import type { Logger } from '@mailroom/kernel';
import type { SinkRoute } from '@mailroom/outbox';

/**
 * What handlers ask of Stripe: write-backs, and objects. Without a key nobody takes these topics, not even a sink of all topics, which
 * would publish a call instead of making it; they wait until a worker has one.
 */
export function stripeRoutes(config: Config, database: Database, log: Logger): readonly SinkRoute[] {
  if (config.stripeApiKey === null) return [{ topics: ['stripe.call', 'stripe.refetch'], sink: null }];
  const api = openStripe({
    apiKey: config.stripeApiKey,
    apiBase: config.stripeApiBase,
    timeoutMs: config.outbox.sendTimeoutMs,
  });
  const receiver = createReceiver(database, { ...answersAtOnce, maxAttempts: config.maxAttempts, log });
  return [
    { topics: ['stripe.call'], sink: stripeCallSink({ database, api }) },
    { topics: ['stripe.refetch'], sink: stripeRefetchSink({ database, api, receiver }) },
  ];
}

// Answers to refetches come one by one, as many at once as the relay has messages in flight.
const answersAtOnce = {
  lockTimeoutMs: 1_000,
  writesInFlight: 1,
  maxRowsPerWrite: 100,
  maxBytesPerWrite: 4_194_304,
  maxWaitingRows: 1_000,
  maxWaitingBytes: 67_108_864,
};
