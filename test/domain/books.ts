import type { Database } from '@mailroom/db';
import { sql } from 'kysely';

/** What the handlers wrote, without the ids and times that the database gave. */
export async function readBooks({ kysely }: Database) {
  return {
    invoices: await kysely
      .selectFrom('invoices')
      .select(['invoice_id', 'status', 'customer', 'subscription', 'currency', 'amount_due', 'amount_paid'])
      .select(['account', 'snapshot_at', 'snapshot_event_id', 'failed_payments'])
      .orderBy('invoice_id')
      .execute(),
    ledger: await kysely
      .selectFrom('ledger_entries')
      .select(['invoice_id', 'kind', 'amount', 'currency', 'event_id'])
      .orderBy('entry_id')
      .execute(),
    outbox: await kysely
      .selectFrom('outbox')
      .select(['topic', 'aggregate', 'payload', 'provider', 'endpoint', 'event_id'])
      .orderBy('outbox_id')
      .execute(),
    anomalies: await kysely
      .selectFrom('anomalies')
      .select(['kind', 'object_key', 'detail'])
      .orderBy('anomaly_id')
      .execute(),
  };
}

/** The sum of all that was booked, exactly. */
export function sumOf(ledger: readonly { readonly amount: string }[]): bigint {
  return ledger.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** Every business row with the transaction that wrote it: two equal answers mean that not even a row version is new. */
export async function readRowVersions({ kysely }: Database): Promise<readonly string[]> {
  const all = tables.map(
    (table) => sql`select ${table} || ' ' || xmin || ' ' || t::text as version from ${sql.table(table)} t`,
  );
  const { rows } = await sql<{ version: string }>`${sql.join(all, sql` union all `)} order by version`.execute(kysely);
  return rows.map(({ version }) => version);
}

/** Every business row without the ids and times that the database gave, in an order that does not depend on theirs. */
export async function readEnd({ kysely }: Database): Promise<readonly string[]> {
  const given = sql.val(['outbox_id', 'entry_id', 'anomaly_id', 'request_id']);
  const times = sql.val([
    'created_at',
    'available_at',
    'told_at',
    'seen_at',
    'booked_at',
    'updated_at',
    'requested_at',
  ]);
  const all = tables.map(
    (table) =>
      sql`select ${table} || ' ' || (to_jsonb(t) - ${given}::text[] - ${times}::text[])::text as line from ${sql.table(table)} t`,
  );
  const { rows } = await sql<{ line: string }>`${sql.join(all, sql` union all `)} order by line`.execute(kysely);
  return rows.map(({ line }) => line);
}

export async function emptyBooks({ kysely }: Database): Promise<void> {
  for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(kysely);
}

/** The tables that handlers write, those that refer to others first. */
const tables = [
  'outbox',
  'told_facts',
  'anomalies',
  'ledger_entries',
  'invoices',
  'subscriptions',
  'refund_entries',
  'refunds',
  'disputes',
  'checkout_sessions',
  'orders',
  'products',
  'inventory_levels',
  'shops',
  'compliance_requests',
  'account_entries',
  'accounts',
  'cards',
];
