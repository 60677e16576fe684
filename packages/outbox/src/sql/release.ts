import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/**
 * Makes the held messages at the front of the aggregates pending, up to `run` of each: called in the transaction that finished what
 * stood before them, after it. Index: outbox_of_aggregate. Isolation: READ COMMITTED, as a statement of its own, so that it sees what a
 * claim set aside while the finishing statement waited for it. Answers how many.
 */
export async function releaseNext(tx: Tx, aggregates: readonly string[], run: number): Promise<number> {
  const result = await sql`
    with next as materialized (
      select front.outbox_id, bool_and(front.state = 'held') over (partition by a.aggregate order by front.outbox_id) as free
      from unnest(${[...new Set(aggregates)]}::text[]) as a (aggregate)
      cross join lateral (
        select f.outbox_id, f.state from outbox f
        where f.aggregate = a.aggregate and f.state in ('pending', 'held', 'needs_review')
        order by f.outbox_id limit ${run}
      ) as front
    ),
    locked as materialized (
      select outbox_id, state from outbox where outbox_id in (select outbox_id from next where free)
      order by outbox_id for update
    )
    update outbox o set state = 'pending'
    from locked where o.outbox_id = locked.outbox_id and locked.state = 'held'`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}
