import type { Database } from '@mailroom/db';

/** The states of a message that has not left, in the order people look at them. */
export const unsentStates = ['pending', 'held', 'needs_review', 'unrouted'] as const;

export interface OutboxStats {
  /** Messages that are not finished, by state, counted up to `countLimit`. */
  readonly byState: Readonly<Record<(typeof unsentStates)[number], number>>;
  /** Age of the oldest message that is due and that nobody has claimed, seconds; null when there is none. */
  readonly oldestDueSeconds: number | null;
}

/** Counts for gauges, read only, from the partial indexes: what was published costs nothing. */
export async function outboxStats(database: Database, countLimit = 100_000): Promise<OutboxStats> {
  const { rows } = await database.pool.query<OutboxStats['byState'] & { oldest: number | null }>(
    `select ${unsentStates.map(countOf).join(', ')},
      (select extract(epoch from now() - available_at)::float8 from outbox
       where state = 'pending' and available_at <= now() and claimed_until is null
       order by available_at limit 1) as oldest`,
    [countLimit],
  );
  const row = rows[0];
  if (!row) throw new Error('a query without FROM answered no row');
  const { oldest, ...byState } = row;
  return { byState, oldestDueSeconds: oldest };
}

function countOf(state: string): string {
  return `(select count(*)::int from (select from outbox where state = '${state}' limit $1) x) as ${state}`;
}
