import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '../claim.ts';
import type { Turn } from '../endpoint-turns.ts';
import { claimedColumns } from './claimed-columns.ts';

export interface ClaimParameters {
  readonly limit: number;
  readonly token: string;
  readonly worker: string;
  readonly leaseMs: number;
}

/**
 * Index: webhook_inbox_due. Isolation: READ COMMITTED, one statement, committed by itself. Locks: the candidates, SKIP LOCKED,
 * so it waits for nobody and two claimers never share a row. The lease lies in columns that no index covers: a heap-only update.
 * Endpoints are asked in the order of the turns until the limit is reached; each gives what is due since its cursor, oldest first.
 */
export function claimInTurns(
  database: Database,
  turns: readonly Turn[],
  claim: ClaimParameters,
): Promise<ClaimedEvent[]> {
  return takeLeases(database, dueInTurns, claim, false, [
    turns.map(({ provider }) => provider),
    turns.map(({ endpoint }) => endpoint),
    turns.map(({ from }) => from),
    turns.map(({ limit }) => limit),
  ]);
}

/** Index: webhook_inbox_suspects. Otherwise as `claimInTurns`: one row that may kill its process, for a worker that holds nothing. */
export function claimSuspect(database: Database, claim: ClaimParameters): Promise<ClaimedEvent[]> {
  return takeLeases(database, dueSuspect, claim, true, []);
}

/** Index: webhook_inbox_suspects. Read only. */
export async function suspectsDue(database: Database): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `select from webhook_inbox
     where state = 'pending' and suspect and available_at <= now() and (leased_until is null or leased_until <= now())
     limit 1`,
  );
  return rowCount === 1;
}

const dueInTurns = `
  select d.* from unnest($6::text[], $7::text[], $8::timestamptz[], $9::int[]) with ordinality
    as t (provider, endpoint, since, share, turn)
  cross join lateral (
    select provider, endpoint, event_id, attempts, max_attempts, leased_by
    from webhook_inbox
    where provider = t.provider and endpoint = t.endpoint and state = 'pending' and not suspect
      and available_at >= coalesce(t.since, '-infinity') and available_at <= now()
      and (leased_until is null or leased_until <= now())
    order by available_at, event_id
    limit t.share
    for update skip locked
  ) as d
  limit $1`;

const dueSuspect = `
  select provider, endpoint, event_id, attempts, max_attempts, leased_by
  from webhook_inbox
  where state = 'pending' and suspect and available_at <= now() and (leased_until is null or leased_until <= now())
  order by available_at
  limit $1
  for update skip locked`;

/**
 * MATERIALIZED is the fence that keeps the planner from running the LIMIT again inside the UPDATE (as Oban does).
 * The attempt is counted here, before the work, so that an event which kills its process still reaches the limit.
 * A row whose lease ran out is given its outcome in passing: the failure of the worker that held it is recorded, the row becomes a
 * suspect, and at the limit it is buried. Nothing else ever has to search for dead leases.
 */
async function takeLeases(
  database: Database,
  due: string,
  { limit, token, worker, leaseMs }: ClaimParameters,
  alone: boolean,
  more: readonly unknown[],
): Promise<ClaimedEvent[]> {
  const { rows } = await database.pool.query<ClaimedEvent>(
    `with due as materialized (${due}
    ),
    buried as (
      update webhook_inbox i
      set state = 'exhausted', suspect = false, lease_token = null, leased_by = null, leased_until = null,
          state_reason = case when due.leased_by is null then 'attempts used up' else '${workerDied}' end,
          last_error = case when due.leased_by is null then i.last_error else '${workerDied}' end
      from due
      where i.provider = due.provider and i.endpoint = due.endpoint and i.event_id = due.event_id
        and due.attempts >= due.max_attempts
    ),
    suspected as (
      update webhook_inbox i
      set suspect = true, last_error = '${workerDied}', lease_token = null, leased_by = null, leased_until = null
      from due
      where i.provider = due.provider and i.endpoint = due.endpoint and i.event_id = due.event_id
        and due.attempts < due.max_attempts and due.leased_by is not null and not $5::boolean
    ),
    recorded as (
      insert into inbox_failures (provider, endpoint, event_id, attempt, worker, class, message)
      select provider, endpoint, event_id, attempts, leased_by, 'worker_died',
             'the lease ran out with no outcome: the worker died, stalled or lost the database'
      from due where leased_by is not null
    )
    update webhook_inbox i
    set attempts = due.attempts + 1, total_attempts = i.total_attempts + 1,
        lease_token = $2::uuid, leased_by = $3, leased_until = now() + $4::float8 * interval '1 ms'
    from due
    where i.provider = due.provider and i.endpoint = due.endpoint and i.event_id = due.event_id
      and due.attempts < due.max_attempts and (due.leased_by is null or $5::boolean)
    returning ${claimedColumns}`,
    [limit, token, worker, leaseMs, alone, ...more],
  );
  return rows;
}

const workerDied = 'worker died while processing';
