import { type Database, inTransaction } from '@mailroom/db';
import { type JsonValue, silentLogger } from '@mailroom/kernel';
import {
  appendMany,
  createOutboxClaimer,
  type OutgoingMessage,
  type Relay,
  type RelayOptions,
  type SendResult,
  type Sink,
  startRelay,
} from '@mailroom/outbox';
import { waitFor } from './wait-for.ts';

/** Appends one message for each aggregate given; answers their ids. */
export async function appendTo(database: Database, ...aggregates: readonly string[]): Promise<readonly string[]> {
  const messages = aggregates.map((aggregate, n) => ({
    topic: 'thing.happened',
    aggregate,
    payload: { n } as JsonValue,
  }));
  return await inTransaction(database, (tx) => appendMany(tx, messages));
}

/** Claims as one relay does. */
export async function claimMessages(
  database: Database,
  { relay = 'r1', limit = 100, maxAttempts = 5 } = {},
): Promise<readonly OutgoingMessage[]> {
  return (await createOutboxClaimer(database, { relay, leaseMs: 60_000, maxAttempts }).claim(limit)).messages;
}

/** Makes every claim run out now. */
export async function expireClaims(database: Database): Promise<void> {
  await database.pool.query("update outbox set claimed_until = now() - interval '1 ms' where claimed_by is not null");
}

/** One row of the outbox. Fails where it is not there. */
export async function outboxRow(database: Database, id: string | undefined) {
  return await database.kysely
    .selectFrom('outbox')
    .selectAll()
    .where('outbox_id', '=', String(id))
    .executeTakeFirstOrThrow();
}

/** Each state and how many messages are in it. */
export async function outboxStateCounts(database: Database): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.pool.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from outbox group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** A sink that notes what it is given and answers what it is told; `sent` where it is told nothing. */
export function notingSink(
  answer: (message: OutgoingMessage, signal: AbortSignal) => SendResult | Promise<SendResult> = () => ({
    outcome: 'sent',
  }),
): Sink & { readonly given: readonly OutgoingMessage[] } {
  const given: OutgoingMessage[] = [];
  return {
    name: 'noting',
    given,
    send: async (message, signal) => {
      given.push(message);
      return await answer(message, signal);
    },
  };
}

/** A quick relay of everything to one sink, which retries at once and differs from a plain one only where told. */
export function testRelay(database: Database, sink: Sink, differing: Partial<RelayOptions> = {}): Relay {
  return startRelay({
    database,
    name: 'r1',
    routes: [{ topics: ['*'], sink }],
    concurrency: 4,
    leaseMs: 60_000,
    sendTimeoutMs: 10_000,
    retry: { backoff: { baseMs: 0, capMs: 0 }, maxAttempts: 5 },
    pollMinMs: 5,
    pollMaxMs: 50,
    sweepEveryMs: 100,
    log: silentLogger,
    observe: { finished: () => {} },
    ...differing,
  });
}

/** Waits until no message is pending or held. */
export async function waitForSent(database: Database): Promise<void> {
  await waitFor(
    'every message to leave or to need a person',
    async () => {
      const { pending = 0, held = 0 } = await outboxStateCounts(database);
      return pending + held === 0;
    },
    { deadlineMs: 40_000 },
  );
}
