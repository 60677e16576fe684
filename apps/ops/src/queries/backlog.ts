import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** The pending events of an endpoint that one worker, or nobody, holds. The four counts after `pending` add up to it. */
export interface BacklogShare {
  readonly provider: string;
  readonly endpoint: string;
  readonly worker: string | null;
  readonly pending: number;
  /** Could run now and nobody holds them. */
  readonly due: number;
  /** Have a time to come: backing off after a failure, or snoozed. */
  readonly waiting: number;
  readonly leased: number;
  /** The lease ran out and nobody has claimed the row since. */
  readonly leaseExpired: number;
  /** Of `due` and `waiting`: tried before. */
  readonly retrying: number;
  readonly oldestDueSeconds: number | null;
  readonly oldestReceivedSeconds: number | null;
  readonly leasedUntil: Date | null;
}

/**
 * One pass over the pending rows (webhook_inbox_due finds them; a lease lies in columns that no index covers, so each row is
 * visited). It costs in proportion to the backlog, never to the ledger.
 */
export async function backlogShares(tx: Tx): Promise<readonly BacklogShare[]> {
  const { rows } = await sql<BacklogShare>`
    select provider, endpoint, leased_by as worker,
      count(*)::float8 as pending,
      count(*) filter (where lease_token is null and available_at <= now())::float8 as due,
      count(*) filter (where lease_token is null and available_at > now())::float8 as waiting,
      count(*) filter (where leased_until > now())::float8 as leased,
      count(*) filter (where leased_until <= now())::float8 as "leaseExpired",
      count(*) filter (where lease_token is null and total_attempts > 0)::float8 as retrying,
      extract(epoch from now() - min(available_at) filter (where lease_token is null and available_at <= now()))::float8
        as "oldestDueSeconds",
      extract(epoch from now() - min(received_at))::float8 as "oldestReceivedSeconds",
      max(leased_until) as "leasedUntil"
    from webhook_inbox where state = 'pending'
    group by provider, endpoint, leased_by`.execute(tx);
  return rows;
}

export interface OldestDue {
  readonly provider: string;
  readonly endpoint: string;
  readonly eventId: string;
  readonly seconds: number;
}

/** The pending event that has been due longest: the oldest of the heads of webhook_inbox_due, one an endpoint. Null where none is. */
export async function oldestDue(tx: Tx): Promise<OldestDue | null> {
  const { rows } = await sql<OldestDue>`
    with recursive found as (
      (select provider, endpoint from webhook_inbox where state = 'pending' order by provider, endpoint limit 1)
      union all
      select next.provider, next.endpoint from found cross join lateral (
        select provider, endpoint from webhook_inbox
        where state = 'pending' and (provider, endpoint) > (found.provider, found.endpoint)
        order by provider, endpoint limit 1
      ) as next
    )
    select head.provider, head.endpoint, head.event_id as "eventId",
      extract(epoch from now() - head.available_at)::float8 as seconds
    from found cross join lateral (
      select provider, endpoint, event_id, available_at from webhook_inbox
      where provider = found.provider and endpoint = found.endpoint and state = 'pending' and available_at <= now()
      order by available_at, event_id limit 1
    ) as head
    order by head.available_at, head.provider, head.endpoint, head.event_id limit 1`.execute(tx);
  return rows[0] ?? null;
}
