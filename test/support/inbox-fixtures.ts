import type { Database, Tx } from '@mailroom/db';
import {
  type ClaimedEvent,
  createClaimer,
  createReceiver,
  type Delivery,
  type IncomingEvent,
  type ProcessOptions,
  type Receiver,
  type ReceiverOptions,
} from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { sql } from 'kysely';

/** An event that differs from a plain one only where told. */
export function incomingEvent(eventId: string, differing: Partial<IncomingEvent> = {}): IncomingEvent {
  return {
    eventId,
    eventType: 'test.event',
    objectKey: null,
    providerTime: null,
    apiVersion: null,
    account: null,
    livemode: null,
    itemPath: null,
    quarantineReason: null,
    ...differing,
  };
}

/** A delivery of one event to stripe/billing that differs from a plain one only where told. */
export function delivery(eventId: string, differing: Partial<Delivery> = {}): Delivery {
  return {
    provider: 'stripe',
    endpoint: 'billing',
    body: Buffer.from(JSON.stringify({ id: eventId })),
    contentType: 'application/json',
    headers: {},
    secretLabel: 'test',
    origin: 'webhook',
    events: [incomingEvent(eventId)],
    ...differing,
  };
}

/** A receiver with small, ordinary bounds. */
export function testReceiver(database: Database, differing: Partial<ReceiverOptions> = {}): Receiver {
  return createReceiver(database, {
    maxAttempts: 3,
    lockTimeoutMs: 1_000,
    writesInFlight: 3,
    maxRowsPerWrite: 500,
    maxBytesPerWrite: 4_000_000,
    maxWaitingRows: 10_000,
    maxWaitingBytes: 64_000_000,
    log: silentLogger,
    ...differing,
  });
}

/** Stores plain events of stripe/billing. */
export async function store(database: Database, ...eventIds: readonly string[]): Promise<void> {
  const receiver = testReceiver(database);
  await Promise.all(eventIds.map((eventId) => receiver.receive(delivery(eventId))));
  await receiver.close();
}

/** Claims what is due, or else one suspect, as a worker that holds nothing does. */
export async function claim(
  database: Database,
  { limit, worker, leaseMs }: { readonly limit: number; readonly worker: string; readonly leaseMs: number },
): Promise<readonly ClaimedEvent[]> {
  const claimer = createClaimer(database, { worker, leaseMs });
  const claimed = await claimer.claim(limit);
  if (claimed.length > 0) return claimed;
  const suspect = await claimer.claimSuspect();
  return suspect ? [suspect] : [];
}

/** Claims the only due event. Fails where there is not exactly one. */
export async function claimOne(database: Database, worker = 'w1', leaseMs = 60_000): Promise<ClaimedEvent> {
  const claimed = await claim(database, { limit: 10, worker, leaseMs });
  const [only] = claimed;
  if (!only || claimed.length > 1) throw new Error(`expected one due event, claimed ${claimed.length}`);
  return only;
}

/** Options of an attempt that retries at once. */
export function processOptions(database: Database, differing: Partial<ProcessOptions> = {}): ProcessOptions {
  return {
    work: database,
    control: database,
    limits: { statementTimeoutMs: 10_000, idleInTransactionTimeoutMs: 10_000, transactionTimeoutMs: 20_000 },
    retry: { backoff: { baseMs: 0, capMs: 0 }, maxInfraRetries: 20 },
    worker: 'w1',
    release: 'test',
    ...differing,
  };
}

/** One row of webhook_inbox with numbers as numbers. Fails where the event is not there. */
export async function inboxRow(database: Database, eventId: string) {
  return await database.kysely
    .selectFrom('webhook_inbox')
    .selectAll()
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow();
}

/** The failures of one event, oldest first. */
export async function failuresOf(database: Database, eventId: string) {
  return await database.kysely
    .selectFrom('inbox_failures')
    .selectAll()
    .where('event_id', '=', eventId)
    .orderBy('failure_id')
    .execute();
}

/** Makes every lease run out now. */
export async function expireLeases(database: Database): Promise<void> {
  await database.pool.query(
    "update webhook_inbox set leased_until = now() - interval '1 ms' where lease_token is not null",
  );
}

/** A business effect that doubles visibly when it is applied twice. */
export async function bookEffect(tx: Tx, eventId: string): Promise<void> {
  await sql`insert into outbox (topic, aggregate, payload) values ('effect', ${eventId}, '{}')`.execute(tx);
}

/** How often the effect of an event was applied. */
export async function effectsOf(database: Database, eventId: string): Promise<number> {
  const rows = await database.kysely
    .selectFrom('outbox')
    .select('outbox_id')
    .where('aggregate', '=', eventId)
    .execute();
  return rows.length;
}

/** Empties every table between tests. */
export async function emptyInbox(database: Database): Promise<void> {
  for (const table of [
    'webhook_inbox',
    'webhook_delivery',
    'inbox_failures',
    'inbox_duplicates',
    'operator_actions',
    'outbox',
    'failure_groups',
    'pauses',
    'inbox_objects',
  ]) {
    await database.pool.query(`delete from ${table}`);
  }
}
