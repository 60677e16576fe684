import type { ClientBase } from 'pg';
import { canonicalJson } from './canonical-json.ts';
import type { Cell, FoundRow, FoundRows } from './compare.ts';

/** Reads every row of the run, and nothing else: all its ids begin with the run's name. */
export async function foundRows(client: ClientBase, run: string): Promise<ReadonlyMap<string, FoundRows>> {
  const tables = new Map<string, FoundRows>();
  for (const [table, sql] of queries) {
    const { rows } = await client.query<Record<string, unknown> & { key: string }>(sql, [run]);
    tables.set(table, Map.groupBy(rows.map(toFound), keyOf));
  }
  return tables;
}

/** The key goes along in a cell of its own; the expectation never names that column. */
function keyOf(row: FoundRow): string {
  return row['key'] ?? '';
}

function toFound(row: Record<string, unknown>): FoundRow {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cellOf(value)]));
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : canonicalJson(value);
}

const ofRun = (column: string, prefix: string): string => `starts_with(${column}, '${prefix}_' || $1 || '_')`;

const queries: readonly (readonly [table: string, sql: string])[] = [
  [
    'webhook_inbox',
    `select i.event_id as key, i.event_type, i.object_key, i.state, i.livemode,
       case when i.last_error is null then 'none' else 'some' end as last_error,
       case when exists (
         select from inbox_failures f
         where f.provider = i.provider and f.endpoint = i.endpoint and f.event_id = i.event_id
       ) then 'some' else 'none' end as failures
     from webhook_inbox i where ${ofRun('i.event_id', 'evt')}`,
  ],
  [
    // Bodies are found through their events; a body that no event points to is looked for by what is in it.
    'webhook_delivery',
    `select coalesce(i.event_id, 'no event has delivery ' || d.delivery_id) as key,
       encode(sha256(d.body), 'hex') as sha256, d.content_type
     from webhook_delivery d left join webhook_inbox i using (delivery_id)
     where ${ofRun('i.event_id', 'evt')}
        or (i.event_id is null and position(convert_to('evt_' || $1 || '_', 'UTF8') in d.body) > 0)`,
  ],
  ['inbox_duplicates', `select event_id as key, count from inbox_duplicates where ${ofRun('event_id', 'evt')}`],
  [
    'invoices',
    `select invoice_id as key, status, currency, customer, subscription, amount_due, amount_paid,
       snapshot_event_id, failed_payments
     from invoices where ${ofRun('invoice_id', 'in')}`,
  ],
  [
    'ledger_entries',
    `select invoice_id || ' ' || kind as key, amount, currency, event_id
     from ledger_entries where ${ofRun('invoice_id', 'in')}`,
  ],
  [
    'outbox',
    `select aggregate || ' ' || topic as key, payload, event_id
     from outbox where ${ofRun('aggregate', 'stripe:invoice:in')}`,
  ],
  [
    'anomalies',
    `select object_key || ' ' || kind as key, detail
     from anomalies where ${ofRun('object_key', 'stripe:invoice:in')}`,
  ],
];
