import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '../claim.ts';

/**
 * Index: webhook_inbox_due. Isolation: READ COMMITTED, one statement, committed by itself. Locks: the candidates, SKIP LOCKED,
 * so it waits for nobody and two claimers never share a row. The lease lies in columns that no index covers: a heap-only update.
 *
 * MATERIALIZED is the fence that keeps the planner from running the LIMIT again inside the UPDATE (as Oban does).
 * The attempt is counted here, before the work, so that an event which kills its process still reaches the limit.
 * A row whose lease ran out is given its outcome in passing: the failure of the worker that held it is recorded, and at the limit
 * it is buried. Nothing else ever has to search for dead leases.
 */
export async function claimDue(
  database: Database,
  claim: {
    readonly limit: number;
    readonly token: string;
    readonly worker: string;
    readonly leaseMs: number;
    readonly from: Date | null;
  },
): Promise<ClaimedEvent[]> {
  const { rows } = await database.pool.query<ClaimedEvent>(
    `with due as materialized (
      select provider, endpoint, event_id, attempts, max_attempts, leased_by
      from webhook_inbox
      where state = 'pending' and available_at <= now() and available_at >= coalesce($5::timestamptz, '-infinity') and (leased_until is null or leased_until <= now())
      order by available_at, provider, endpoint, event_id
      limit $1
      for update skip locked
    ),
    buried as (
      update webhook_inbox i
      set state = 'exhausted', lease_token = null, leased_by = null, leased_until = null,
          state_reason = case when due.leased_by is null then 'attempts used up' else 'worker died while processing' end,
          last_error = case when due.leased_by is null then i.last_error else 'worker died while processing' end
      from due
      where i.provider = due.provider and i.endpoint = due.endpoint and i.event_id = due.event_id
        and due.attempts >= due.max_attempts
    ),
    recorded as (
      insert into inbox_failures (provider, endpoint, event_id, attempt, worker, class, message)
      select provider, endpoint, event_id, attempts, leased_by, 'worker_died',
             'the lease ran out with no outcome: the worker died, stalled or lost the database'
      from due where leased_by is not null
    )
    update webhook_inbox i
    set attempts = due.attempts + 1, total_attempts = i.total_attempts + 1,
        lease_token = $2::uuid, leased_by = $3, leased_until = now() + $4::float8 * interval '1 ms',
        last_error = case when due.leased_by is null then i.last_error else 'worker died while processing' end
    from due
    where i.provider = due.provider and i.endpoint = due.endpoint and i.event_id = due.event_id
      and due.attempts < due.max_attempts
    returning i.provider, i.endpoint, i.event_id as "eventId", i.event_type as "eventType", i.object_key as "objectKey",
      i.attempts, i.max_attempts as "maxAttempts", i.infra_retries as "infraRetries", i.lease_token as "leaseToken", i.available_at as "availableAt"`,
    [claim.limit, claim.token, claim.worker, claim.leaseMs, claim.from],
  );
  return rows;
}
