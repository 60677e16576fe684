import type { ClientBase } from 'pg';

export interface InboxRow {
  readonly event_id: string;
  readonly event_type: string;
  readonly object_key: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly infra_retries: number;
  readonly total_attempts: number;
  readonly leased: boolean;
  readonly has_body: boolean;
  /** Recorded failures that cost an attempt. */
  readonly failures: number;
  /** Recorded failures that cost none: the database or the way to it was at fault. */
  readonly infra_failures: number;
}

export interface InvoiceRow {
  readonly invoice_id: string;
  readonly status: string;
  readonly currency: string | null;
  readonly amount_due: string | null;
  readonly amount_paid: string | null;
  readonly snapshot_event_id: string;
  readonly failed_payments: number;
}

export interface EntryRow {
  readonly invoice_id: string;
  readonly kind: string;
  readonly amount: string;
  readonly currency: string;
  readonly event_id: string;
}

export interface CountedRow {
  readonly key: string;
  readonly count: number;
}

/** All that the run can have left in the database. */
export interface FoundRows {
  readonly inbox: readonly InboxRow[];
  /** Rows that the handlers' witness wrote, by event. */
  readonly effects: readonly CountedRow[];
  readonly invoices: readonly InvoiceRow[];
  readonly entries: readonly EntryRow[];
  /** Outbox messages by `<aggregate> <topic>`. */
  readonly messages: readonly CountedRow[];
  /** Anomalies by `<object> <kind>`. */
  readonly anomalies: readonly CountedRow[];
  /** Duplicates counted, by event. */
  readonly duplicates: readonly CountedRow[];
  /** Bodies that no event points to. */
  readonly orphans: number;
}

export async function readFoundRows(client: ClientBase): Promise<FoundRows> {
  const rows = async <Row>(sql: string): Promise<readonly Row[]> => (await client.query(sql)).rows as Row[];
  return {
    inbox: await rows<InboxRow>(inboxSql),
    effects: await rows<CountedRow>('select event_id as key, count(*)::int from chaos_effects group by 1'),
    invoices: await rows<InvoiceRow>(
      `select invoice_id, status, currency, amount_due::text, amount_paid::text, snapshot_event_id, failed_payments
       from invoices`,
    ),
    entries: await rows<EntryRow>('select invoice_id, kind, amount::text, currency, event_id from ledger_entries'),
    messages: await rows<CountedRow>(`select aggregate || ' ' || topic as key, count(*)::int from outbox group by 1`),
    anomalies: await rows<CountedRow>(
      `select object_key || ' ' || kind as key, count(*)::int from anomalies group by 1`,
    ),
    duplicates: await rows<CountedRow>('select event_id as key, count::int from inbox_duplicates'),
    orphans: (await rows<{ count: number }>(orphansSql))[0]?.count ?? 0,
  };
}

const inboxSql = `
  select i.event_id, i.event_type, i.object_key, i.state, i.attempts, i.max_attempts, i.infra_retries, i.total_attempts,
    i.lease_token is not null as leased, d.delivery_id is not null as has_body,
    coalesce(f.failures, 0)::int as failures, coalesce(f.infra_failures, 0)::int as infra_failures
  from webhook_inbox i
  left join webhook_delivery d using (delivery_id)
  left join (
    select provider, endpoint, event_id,
      count(*) filter (where class not in ('serialization', 'deadlock', 'connection', 'shutdown', 'resources')) as failures,
      count(*) filter (where class in ('serialization', 'deadlock', 'connection', 'shutdown', 'resources')) as infra_failures
    from inbox_failures group by 1, 2, 3
  ) as f on (f.provider, f.endpoint, f.event_id) = (i.provider, i.endpoint, i.event_id)`;

const orphansSql = `
  select count(*)::int from webhook_delivery d
  where not exists (select from webhook_inbox i where i.delivery_id = d.delivery_id)`;
