import type { Database } from '@mailroom/db';
import { pendingEndpoints } from './sql/list-endpoints.ts';

/** The states a row can be in, in the order people look at them. */
export const inboxStates = [
  'pending',
  'held',
  'exhausted',
  'rejected',
  'parked',
  'quarantined',
  'processed',
  'ignored',
] as const;

export type InboxState = (typeof inboxStates)[number];

export interface InboxStats {
  /** Rows by state, counted up to `countLimit`; a count equal to the limit means "that many or more". */
  readonly byState: Readonly<Record<InboxState, number>>;
  /** Pending rows that are leased right now, among the counted ones. */
  readonly leased: number;
  /** Age of the oldest due row that nobody has leased, seconds; null when there is none. */
  readonly oldestDueSeconds: number | null;
}

/**
 * Counts for status lines and gauges, read only. Indexes: webhook_inbox_due and webhook_inbox_attention for the unfinished
 * states; finished rows are counted only up to `countLimit`, so that a ledger of millions costs no more than a small one.
 */
export async function inboxStats(database: Database, countLimit = 100_000): Promise<InboxStats> {
  const counts = inboxStates.map((state) => `${countOf(state)} as ${state}`);
  const { rows } = await database.pool.query<Record<InboxState | 'leased', number> & { oldest: number | null }>(
    `${pendingEndpoints}
     select ${counts.join(', ')},
      (select count(*)::int from (
        select leased_until from webhook_inbox where state = 'pending' limit $1
      ) x where leased_until > now()) as leased,
      (select max(extract(epoch from now() - head.available_at))::float8 from (select * from found limit 1000) e
       cross join lateral (
         select available_at from webhook_inbox
         where provider = e.provider and endpoint = e.endpoint and state = 'pending'
           and available_at <= now() and leased_until is null
         order by available_at limit 1
       ) head) as oldest`,
    [countLimit],
  );
  const row = rows[0];
  if (!row) throw new Error('a query without FROM answered no row');
  const { leased, oldest, ...byState } = row;
  return { byState, leased, oldestDueSeconds: oldest };
}

function countOf(state: InboxState): string {
  return `(select count(*)::int from (select from webhook_inbox where state = '${state}' limit $1) x)`;
}
