import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '../claim.ts';
import { claimedColumns } from './claimed-columns.ts';

/**
 * Indexes: primary key of pauses, webhook_inbox_held. One statement, committed by itself, SKIP LOCKED: waits for nobody. The pause's row
 * is the lock: moving its next canary on is what lets one worker of many have this one. The newest held event is the canary: the
 * oldest may be the very one that opened the breaker, would be tried again and again, and would hold all that is sound behind it.
 */
export async function claimCanaryRow(
  database: Database,
  claim: {
    readonly pauseId: string;
    readonly heldBy: string;
    readonly token: string;
    readonly worker: string;
    readonly leaseMs: number;
    readonly nextAfterMs: number;
  },
): Promise<ClaimedEvent | undefined> {
  const { rows } = await database.pool.query<ClaimedEvent>(
    `with due as materialized (
      select pause_id from pauses
      where pause_id = $1::bigint and ended_at is null and next_canary_at <= now()
      for update skip locked
    ),
    taken as (
      update pauses p set next_canary_at = now() + $6::float8 * interval '1 ms', canaries = canaries + 1
      from due where p.pause_id = due.pause_id
    ),
    canary as materialized (
      select i.provider, i.endpoint, i.event_id
      from due cross join lateral (
        select provider, endpoint, event_id from webhook_inbox
        where state = 'held' and held_by = $2 and attempts < max_attempts
        order by received_at desc, event_id desc limit 1
        for update skip locked
      ) as i
    )
    update webhook_inbox i
    set state = 'pending', held_by = null, state_reason = null, attempts = attempts + 1,
        total_attempts = total_attempts + 1, lease_token = $3::uuid, leased_by = $4,
        leased_until = now() + $5::float8 * interval '1 ms'
    from canary
    where i.provider = canary.provider and i.endpoint = canary.endpoint and i.event_id = canary.event_id
    returning ${claimedColumns}`,
    [claim.pauseId, claim.heldBy, claim.token, claim.worker, claim.leaseMs, claim.nextAfterMs],
  );
  return rows[0];
}
