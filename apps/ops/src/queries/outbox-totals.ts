import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface OutboxTotals {
  readonly pending: number;
  readonly oldestPendingSeconds: number | null;
  readonly needsReview: number;
}

/** Finds the unpublished rows by outbox_of_aggregate; published ones cost nothing. */
export async function outboxTotals(tx: Tx): Promise<OutboxTotals> {
  const { rows } = await sql<OutboxTotals>`
    select count(*) filter (where state = 'pending')::float8 as pending,
      extract(epoch from now() - min(created_at) filter (where state = 'pending'))::float8 as "oldestPendingSeconds",
      count(*) filter (where state = 'needs_review')::float8 as "needsReview"
    from outbox where state in ('pending', 'needs_review')`.execute(tx);
  return rows[0] ?? { pending: 0, oldestPendingSeconds: null, needsReview: 0 };
}
