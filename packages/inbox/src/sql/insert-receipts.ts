import { compareEventKeys, type EventKey, uuidv7 } from '@mailroom/kernel';
import type { Delivery, IncomingEvent } from '../delivery.ts';

/** An event with the delivery it came in; `deliveryNumber` counts the statement's deliveries from 0. */
export interface ReceiptRow extends EventKey {
  readonly event: IncomingEvent;
  readonly delivery: Delivery;
  readonly deliveryNumber: number;
}

/**
 * Index: primary key of webhook_inbox. Isolation: READ COMMITTED, one statement, committed by itself, or first in the
 * transaction of the synchronous shape.
 * Locks: inserts in the order of the rows given, which the caller has sorted by key and freed of repetitions, so two of these
 * never deadlock. It waits for a key that another transaction is inserting or updating, at most the lock timeout.
 * Answers the numbers (from 1) of the rows that were known already.
 *
 * All bodies travel as one bytea and are cut apart in the server: an array of bytea would be hex text, twice the bytes.
 * Reads no table, so that its plan, which is most of its cost, can be kept: prepared it takes half as long (ADR 0017).
 */
export const insertReceiptsText = `
with settings as materialized (
  select set_config('lock_timeout', coalesce($1, current_setting('lock_timeout')), true)
),
deliveries as materialized (
  select d.* from settings, unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
    as d (delivery_id, provider, endpoint, content_type, headers, body_start, body_length)
),
incoming as materialized (
  select e.* from settings, unnest(
    $10::text[], $11::text[], $12::text[], $13::uuid[], $14::text[], $15::text[], $16::text[], $17::timestamptz[],
    $18::text[], $19::text[], $20::boolean[], $21::text[], $22::text[], $23::text[], $25::text[]
  ) with ordinality as e (
    provider, endpoint, event_id, delivery_id, item_path, event_type, object_key, provider_time,
    api_version, account, livemode, secret_label, origin, quarantine_reason, body_sha256, number
  )
),
inserted as (
  insert into webhook_inbox (
    provider, endpoint, event_id, delivery_id, item_path, event_type, object_key, provider_time,
    api_version, account, livemode, secret_label, origin, state, state_reason, max_attempts, body_sha256
  )
  select
    provider, endpoint, event_id, delivery_id, item_path::text[], event_type, object_key, provider_time,
    api_version, account, livemode, secret_label, origin,
    case when quarantine_reason is null then 'pending' else 'quarantined' end, quarantine_reason, $24::int,
    decode(body_sha256, 'hex')
  from incoming order by number
  on conflict (provider, endpoint, event_id) do nothing
  returning provider, endpoint, event_id, delivery_id
),
known as materialized (
  select number from incoming n
  where not exists (
    select from inserted i
    where i.provider = n.provider and i.endpoint = n.endpoint and i.event_id = n.event_id
  )
),
stored as (
  insert into webhook_delivery (delivery_id, provider, endpoint, content_type, headers, body)
  select d.delivery_id, d.provider, d.endpoint, d.content_type, d.headers::jsonb,
         substring($9::bytea from d.body_start for d.body_length)
  from deliveries d
  where exists (select from inserted i where i.delivery_id = d.delivery_id)
)
select number::int as number from known`;

/** Rows in key order, each key once. What a statement would meet twice is a duplicate already. */
export function sortedRows(deliveries: readonly Delivery[]): { rows: ReceiptRow[]; repeated: ReceiptRow[] } {
  const all = deliveries.flatMap((delivery, deliveryNumber) =>
    delivery.events.map((event): ReceiptRow => {
      const { provider, endpoint } = delivery;
      return { provider, endpoint, eventId: event.eventId, event, delivery, deliveryNumber };
    }),
  );
  all.sort(compareEventKeys);
  const rows: ReceiptRow[] = [];
  const repeated: ReceiptRow[] = [];
  for (const row of all) {
    const last = rows.at(-1);
    if (last && compareEventKeys(last, row) === 0) repeated.push(row);
    else rows.push(row);
  }
  return { rows, repeated };
}

/** The parameters of `insertReceiptsText` for rows sorted by key. A lock timeout of null leaves the session's own. */
export function insertReceiptsValues(
  deliveries: readonly Delivery[],
  rows: readonly ReceiptRow[],
  settings: { readonly lockTimeoutMs: number | null; readonly maxAttempts: number },
): unknown[] {
  const deliveryIds = deliveries.map(() => uuidv7());
  const starts: number[] = [];
  let end = 1;
  for (const { body } of deliveries) {
    starts.push(end);
    end += body.length;
  }
  return [
    settings.lockTimeoutMs === null ? null : `${settings.lockTimeoutMs}ms`,
    deliveryIds,
    deliveries.map((d) => d.provider),
    deliveries.map((d) => d.endpoint),
    deliveries.map((d) => d.contentType),
    deliveries.map((d) => JSON.stringify(d.headers)),
    starts,
    deliveries.map((d) => d.body.length),
    Buffer.concat(deliveries.map((d) => d.body)),
    rows.map((r) => r.provider),
    rows.map((r) => r.endpoint),
    rows.map((r) => r.eventId),
    rows.map((r) => deliveryIds[r.deliveryNumber]),
    rows.map((r) => (r.event.itemPath === null ? null : textArrayLiteral(r.event.itemPath))),
    rows.map((r) => r.event.eventType),
    rows.map((r) => r.event.objectKey),
    rows.map((r) => r.event.providerTime),
    rows.map((r) => r.event.apiVersion),
    rows.map((r) => r.event.account),
    rows.map((r) => r.event.livemode),
    rows.map((r) => r.delivery.secretLabel),
    rows.map((r) => r.delivery.origin),
    rows.map((r) => r.event.quarantineReason),
    settings.maxAttempts,
    rows.map((r) => r.event.bodyHash ?? null),
  ];
}

export function textArrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
