import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '../claim.ts';
import type { Settlement } from '../settlement.ts';

/**
 * Index: primary key of webhook_inbox. One statement, committed by itself, after the processing transaction rolled back.
 * Writes only where the lease is still ours: a stale worker cannot reschedule somebody else's row. The failure is recorded in
 * the same statement. Answers whether the row was still ours.
 */
export async function settleRow(database: Database, claimed: ClaimedEvent, settlement: Settlement): Promise<boolean> {
  const failure = settlement.failure;
  const { rowCount } = await database.pool.query(
    `with settled as (
      update webhook_inbox
      set state = $5, state_reason = $6, attempts = attempts - $7::int, infra_retries = infra_retries + $8::int,
          available_at = now() + $9::float8 * interval '1 ms', last_error = coalesce($10::text, last_error),
          failure_group = coalesce($11::text, failure_group),
          suspect = $19::boolean, lease_token = null, leased_by = null, leased_until = null
      where provider = $1 and endpoint = $2 and event_id = $3 and state = 'pending' and lease_token = $4::uuid
      returning provider, endpoint, event_id
    ),
    recorded as (
      insert into inbox_failures
        (provider, endpoint, event_id, attempt, worker, release, started_at, class, sqlstate, message, stack, failure_group)
      select provider, endpoint, event_id, $12::int, $13::text, $14::text, now() - $15::float8 * interval '1 ms',
             $16::text, $17::text, $10::text, $18::text, $11::text
      from settled where $16::text is not null
    ),
    grouped as (
      insert into failure_groups as g
        (failure_group, provider, event_type, class, sqlstate, message, first_release, last_release)
      select $11::text, $1, $20::text, $16::text, $17::text, $10::text, $14::text, $14::text
      from settled where $11::text is not null
      on conflict (failure_group) do update
      set failures = g.failures + 1, last_seen_at = excluded.last_seen_at, last_release = excluded.last_release
    )
    select from settled`,
    [
      claimed.provider,
      claimed.endpoint,
      claimed.eventId,
      claimed.leaseToken,
      settlement.state,
      settlement.reason,
      settlement.refund === 'none' ? 0 : 1,
      settlement.refund === 'infra' ? 1 : 0,
      settlement.delayMs,
      failure?.message ?? null,
      failure?.group ?? null,
      claimed.attempts,
      failure?.worker ?? null,
      failure?.release ?? null,
      failure?.durationMs ?? null,
      failure?.class ?? null,
      failure?.sqlstate ?? null,
      failure?.stack ?? null,
      settlement.suspect,
      claimed.eventType,
    ],
  );
  return rowCount === 1;
}
