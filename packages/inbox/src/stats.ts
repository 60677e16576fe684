import type { Database } from '@mailroom/db';
import { type InboxState, inboxStates } from '@mailroom/kernel';
import { pendingEndpoints } from './sql/list-endpoints.ts';

export interface InboxStats {
  /**
   * Rows by state, counted up to `countLimit`; a count equal to the limit means "that many or more". Of the finished ones, processed
   * and ignored together, the newest `countLimit` are counted.
   */
  readonly byState: Readonly<Record<InboxState, number>>;
  /** Pending rows that are leased right now, among the counted ones. */
  readonly leased: number;
  /** Age of the oldest due row that nobody has leased, seconds; null when there is none. */
  readonly oldestDueSeconds: number | null;
}

/**
 * Counts for status lines and gauges, read only. Indexes: webhook_inbox_due and webhook_inbox_attention for the unfinished
 * states, webhook_inbox_finished for the others: looked for by state, ten ignored ones would cost a scan of the whole ledger. Nothing is
 * counted beyond `countLimit`, so that a ledger of millions costs no more than one of that size.
 */
export async function inboxStats(database: Database, countLimit = 100_000): Promise<InboxStats> {
  const counts = inboxStates.map((state) => `${countOf(state)} as ${state}`);
  // Every ORDER BY names an index, or the planner might look for rows of a rare state by reading the table from its old end.
  const { rows } = await database.pool.query<Record<InboxState | 'leased', number> & { oldest: number | null }>(
    `${pendingEndpoints},
     waiting as materialized (
       select leased_until from webhook_inbox where state = 'pending' order by provider, endpoint, available_at limit $1
     ),
     finished as materialized (
       select state from webhook_inbox where processed_at is not null order by processed_at desc limit $1
     )
     select ${counts.join(', ')},
      (select count(*)::int from waiting where leased_until > now()) as leased,
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
  switch (state) {
    case 'pending':
      return '(select count(*)::int from waiting)';
    case 'processed':
    case 'ignored':
      return `(select count(*)::int from finished where state = '${state}')`;
    default:
      return `(select count(*)::int from (
        select from webhook_inbox where state = '${state}' order by provider, endpoint, event_id limit $1
      ) x)`;
  }
}
