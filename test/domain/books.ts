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
  const { rows } = await sql<{ version: string }>`
    select version from (
      select 'invoices ' || xmin::text || ' ' || t::text from invoices t
      union all select 'ledger_entries ' || xmin::text || ' ' || t::text from ledger_entries t
      union all select 'outbox ' || xmin::text || ' ' || t::text from outbox t
      union all select 'anomalies ' || xmin::text || ' ' || t::text from anomalies t
    ) as versions (version)
    order by version`.execute(kysely);
  return rows.map(({ version }) => version);
}

export async function emptyBooks({ kysely }: Database): Promise<void> {
  await kysely.deleteFrom('outbox').execute();
  await kysely.deleteFrom('ledger_entries').execute();
  await kysely.deleteFrom('anomalies').execute();
  await kysely.deleteFrom('invoices').execute();
}
