import type { Database } from '@mailroom/db';

/**
 * Index: webhook_inbox_parked. One statement, committed by itself, SKIP LOCKED: waits for nobody. At most `limit` rows.
 * Parked rows whose type has a handler here become pending, on record in `operator_actions`. Answers how many.
 */
export async function rearmParked(
  database: Database,
  types: readonly { readonly provider: string; readonly eventType: string }[],
  limit: number,
): Promise<number> {
  const { rows } = await database.pool.query<{ rearmed: number }>(
    `with known as materialized (
      select i.provider, i.endpoint, i.event_id
      from unnest($1::text[], $2::text[]) as n (provider, event_type)
      join webhook_inbox i on i.provider = n.provider and i.event_type = n.event_type and i.state = 'parked'
      limit $3
      for update of i skip locked
    ),
    rearmed as (
      update webhook_inbox i
      set state = 'pending', available_at = now()
      from known
      where i.provider = known.provider and i.endpoint = known.endpoint and i.event_id = known.event_id
      returning i.provider, i.event_type
    ),
    recorded as (
      insert into operator_actions (actor, action, reason, selection, affected)
      select 'rule:rearm', 'rearm', 'a worker has a handler for the type now',
        jsonb_build_object('types', jsonb_agg(distinct provider || ' ' || event_type)), count(*)
      from rearmed having count(*) > 0
    )
    select count(*)::int as rearmed from rearmed`,
    [types.map((type) => type.provider), types.map((type) => type.eventType), limit],
  );
  return rows[0]?.rearmed ?? 0;
}
