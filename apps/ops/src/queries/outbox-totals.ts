import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface OutboxTotals {
  readonly pending: number;
  readonly oldestPendingSeconds: number | null;
  /** Behind an earlier message of their aggregate. */
  readonly held: number;
  readonly needsReview: number;
  /** No sink takes their topic. */
  readonly unrouted: number;
}

/** Finds what has not left by partial indexes; published messages cost nothing. */
export async function outboxTotals(tx: Tx): Promise<OutboxTotals> {
  const { rows } = await sql<OutboxTotals>`
    select count(*) filter (where state = 'pending')::float8 as pending,
      extract(epoch from now() - min(created_at) filter (where state = 'pending'))::float8 as "oldestPendingSeconds",
      count(*) filter (where state = 'held')::float8 as held,
      count(*) filter (where state = 'needs_review')::float8 as "needsReview",
      (select count(*)::float8 from outbox where state = 'unrouted') as unrouted
    from outbox where state in ('pending', 'held', 'needs_review')`.execute(tx);
  return rows[0] ?? { pending: 0, oldestPendingSeconds: null, held: 0, needsReview: 0, unrouted: 0 };
}
