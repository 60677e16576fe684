import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface RecentFailures {
  readonly windowSeconds: number;
  readonly attempts: number;
  /** True where the window holds more failures than were read; the figures then are of the newest ones only. */
  readonly capped: boolean;
  /** Most frequent first. */
  readonly groups: readonly FailureGroup[];
}

export interface FailureGroup {
  readonly class: string;
  readonly sqlstate: string | null;
  /** The newest message of the group. */
  readonly message: string;
  readonly attempts: number;
  readonly events: number;
  readonly lastAt: Date;
  /** One event of the group, the newest. */
  readonly lastKey: string;
  readonly workers: readonly string[];
}

/**
 * The failed attempts of the last hour, alike ones together. Nothing indexes their time, but their ids grow with it: so the
 * newest few thousand are read backwards along the primary key, however long the table is.
 */
export async function recentFailures(tx: Tx): Promise<RecentFailures> {
  const { rows } = await sql<FailureGroup & { readonly read: number }>`
    with newest as materialized (
      select * from inbox_failures order by failure_id desc limit ${atMost}
    )
    select class, (array_agg(sqlstate order by failure_id desc))[1] as sqlstate,
      (array_agg(message order by failure_id desc))[1] as message,
      count(*)::float8 as attempts,
      count(distinct (provider, endpoint, event_id))::float8 as events,
      max(failed_at) as "lastAt",
      (array_agg(provider || '/' || endpoint || '/' || event_id order by failure_id desc))[1] as "lastKey",
      array_agg(distinct worker) as workers,
      (select count(*)::float8 from newest where failed_at > now() - ${windowSeconds} * interval '1 second') as read
    from newest
    where failed_at > now() - ${windowSeconds} * interval '1 second'
    group by class, coalesce(failure_group, message)
    order by attempts desc, "lastAt" desc`.execute(tx);
  const read = rows[0]?.read ?? 0;
  return {
    windowSeconds,
    attempts: read,
    capped: read >= atMost,
    groups: rows.map(({ read: _read, ...group }) => group),
  };
}

const windowSeconds = 3_600;
const atMost = 5_000;
