import type { Database } from '@mailroom/db';

/**
 * Index: webhook_inbox_parked. One statement, committed by itself, SKIP LOCKED: waits for nobody. At most `limit` rows.
 * Parked rows whose type has a handler here become pending. Answers how many.
 */
export async function rearmParked(
  database: Database,
  types: readonly { readonly provider: string; readonly eventType: string }[],
  limit: number,
): Promise<number> {
  const { rowCount } = await database.pool.query(
    `with known as materialized (
      select i.provider, i.endpoint, i.event_id
      from unnest($1::text[], $2::text[]) as n (provider, event_type)
      join webhook_inbox i on i.provider = n.provider and i.event_type = n.event_type and i.state = 'parked'
      limit $3
      for update of i skip locked
    )
    update webhook_inbox i
    set state = 'pending', available_at = now()
    from known
    where i.provider = known.provider and i.endpoint = known.endpoint and i.event_id = known.event_id`,
    [types.map((type) => type.provider), types.map((type) => type.eventType), limit],
  );
  return rowCount ?? 0;
}
