import { randomUUID } from 'node:crypto';
import type { Database, DB } from '@mailroom/db';
import { type InsertObject, sql } from 'kysely';

interface KeyParts {
  readonly provider?: string;
  readonly endpoint?: string;
  readonly delivery_id?: string;
}

export interface Seed {
  readonly row?: Partial<InsertObject<DB, 'webhook_inbox'>> & KeyParts;
  /** Null: expired. */
  readonly body?: Buffer | null;
  readonly contentType?: string;
}

/** One event of stripe/billing with its delivery, differing from a plain pending one only where told. Answers its key. */
export async function seedEvent(database: Database, eventId: string, seed: Seed = {}): Promise<string> {
  const provider = seed.row?.provider ?? 'stripe';
  const endpoint = seed.row?.endpoint ?? 'billing';
  const deliveryId = seed.row?.delivery_id ?? randomUUID();
  if (seed.body !== null) {
    await database.kysely
      .insertInto('webhook_delivery')
      .values({
        delivery_id: deliveryId,
        provider,
        endpoint,
        content_type: seed.contentType ?? 'application/json',
        body: seed.body ?? Buffer.from('{"card":"4242424242424242"}'),
      })
      .execute();
  }
  await database.kysely
    .insertInto('webhook_inbox')
    .values({
      provider,
      endpoint,
      event_id: eventId,
      delivery_id: deliveryId,
      event_type: 'invoice.paid',
      max_attempts: 25,
      ...seed.row,
    })
    .execute();
  return `${provider}/${endpoint}/${eventId}`;
}

/** Seconds before the database's now; negative ones are still to come. */
export function ago(seconds: number) {
  return sql<Date>`now() - ${seconds} * interval '1 second'`;
}

/** Columns of each state as the CHECKs of the ledger want them. */
export const inState = {
  exhausted: { state: 'exhausted', state_reason: 'attempts used up', attempts: 25, total_attempts: 25 },
  rejected: { state: 'rejected', state_reason: 'not_ours: somebody else’s account' },
  quarantined: { state: 'quarantined', state_reason: 'the body is not UTF-8' },
  held: { state: 'held', state_reason: 'paused for the migration', held_by: 'alice' },
  parked: { state: 'parked' },
  processed: { state: 'processed', processed_at: sql<Date>`now()` },
  ignored: { state: 'ignored', state_reason: 'a draft', processed_at: sql<Date>`now()` },
} as const;

/** A lease that ends so many seconds from now. */
export function leasedBy(worker: string, seconds: number) {
  return {
    leased_by: worker,
    leased_until: ago(-seconds),
    lease_token: randomUUID(),
    attempts: 1,
    total_attempts: 1,
  };
}

/** One failed attempt of an event of stripe/billing. */
export async function seedFailure(
  database: Database,
  eventId: string,
  failure: Partial<InsertObject<DB, 'inbox_failures'>> = {},
): Promise<void> {
  await database.kysely
    .insertInto('inbox_failures')
    .values({
      provider: 'stripe',
      endpoint: 'billing',
      event_id: eventId,
      attempt: 1,
      worker: 'w1',
      started_at: ago(60),
      failed_at: ago(59),
      class: 'handler',
      message: 'no such order',
      ...failure,
    })
    .execute();
}

export async function emptyTables(database: Database): Promise<void> {
  const tables = [
    'webhook_inbox',
    'webhook_delivery',
    'inbox_failures',
    'inbox_duplicates',
    'operator_actions',
    'outbox',
    'ledger_entries',
    'invoices',
    'anomalies',
  ] as const;
  for (const table of tables) await database.kysely.deleteFrom(table).execute();
}
