import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '../claim.ts';
import type { Pause, PauseRequest } from '../pause.ts';
import { keyColumns } from './key-columns.ts';

/** Index: pauses_open, the arbiter. One statement, committed by itself; a second opener waits for the first and opens nothing. */
export async function openPauseRow(database: Database, request: PauseRequest): Promise<string | undefined> {
  const { what, actor, reason, canaryAfterMs } = request;
  const { rows } = await database.pool.query<{ id: string }>(
    `with opened as (
      insert into pauses (scope, provider, endpoint, event_type, failure_group, opened_by, reason, next_canary_at)
      values ($1, $2, $3, $4, $5, $6, $7, now() + $8::float8 * interval '1 ms')
      on conflict do nothing
      returning pause_id, scope, provider, endpoint, event_type, failure_group
    ),
    recorded as (
      insert into operator_actions (actor, action, reason, selection, affected)
      select $6, 'pause', $7, to_jsonb(opened), 0 from opened
    )
    select pause_id::text as id from opened`,
    [
      what.scope,
      'provider' in what ? what.provider : null,
      'endpoint' in what ? what.endpoint : null,
      'eventType' in what ? what.eventType : null,
      'failureGroup' in what ? what.failureGroup : null,
      actor,
      reason,
      canaryAfterMs ?? null,
    ],
  );
  return rows[0]?.id;
}

/** Index: primary key of pauses. One statement, committed by itself. Answers whether it was open. */
export async function endPauseRow(
  database: Database,
  pauseId: string,
  actor: string,
  reason: string,
): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `with ended as (
      update pauses set ended_at = now(), ended_by = $2 where pause_id = $1::bigint and ended_at is null
      returning pause_id, scope, provider, endpoint, event_type, failure_group
    ),
    recorded as (
      insert into operator_actions (actor, action, reason, selection, affected)
      select $2, 'resume', $3, to_jsonb(ended), 0 from ended
    )
    select from ended`,
    [pauseId, actor, reason],
  );
  return rowCount === 1;
}

/** Index: pauses_open. Read only. */
export async function listOpenPauses(database: Database): Promise<readonly Pause[]> {
  const { rows } = await database.pool.query<Pause>(
    `select pause_id::text as "pauseId", scope, provider, endpoint, event_type as "eventType",
       failure_group as "failureGroup", opened_by as "openedBy", reason, next_canary_at as "nextCanaryAt"
     from pauses where ended_at is null order by pause_id`,
  );
  return rows;
}

/**
 * Index: primary key of webhook_inbox. One statement, committed by itself, SKIP LOCKED: waits for nobody. Rows leave the claim
 * index, the lease ends and the attempt is refunded. Answers how many were still ours.
 */
export async function holdRows(
  database: Database,
  claimed: readonly ClaimedEvent[],
  heldBy: string,
  reason: string,
): Promise<number> {
  const { rowCount } = await database.pool.query(
    `with ours as materialized (
      select i.provider, i.endpoint, i.event_id
      from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as n (provider, endpoint, event_id, token)
      join webhook_inbox i on i.provider = n.provider and i.endpoint = n.endpoint and i.event_id = n.event_id
      where i.state = 'pending' and i.lease_token = n.token
      for update of i skip locked
    )
    update webhook_inbox i
    set state = 'held', held_by = $5, state_reason = left($6, 2000), attempts = attempts - 1,
        lease_token = null, leased_by = null, leased_until = null
    from ours
    where i.provider = ours.provider and i.endpoint = ours.endpoint and i.event_id = ours.event_id`,
    [...keyColumns(claimed), claimed.map(({ leaseToken }) => leaseToken), heldBy, reason],
  );
  return rowCount ?? 0;
}

/**
 * Indexes: pauses_ended and webhook_inbox_held. One statement, committed by itself, SKIP LOCKED: waits for nobody. A worker that
 * had not heard of the end may still have held rows afterwards, so a day's worth of ended pauses is looked at.
 */
export async function releaseRows(database: Database, limit: number): Promise<number> {
  const { rowCount } = await database.pool.query(
    `with free as materialized (
      select i.provider, i.endpoint, i.event_id
      from (select 'pause:' || pause_id as held_by from pauses where ended_at > now() - interval '1 day') as ended
      cross join lateral (
        select provider, endpoint, event_id from webhook_inbox
        where state = 'held' and held_by = ended.held_by
        order by received_at, event_id
        limit $1
        for update skip locked
      ) as i
    )
    update webhook_inbox i
    set state = 'pending', held_by = null, state_reason = null, available_at = now()
    from free
    where i.provider = free.provider and i.endpoint = free.endpoint and i.event_id = free.event_id`,
    [limit],
  );
  return rowCount ?? 0;
}
