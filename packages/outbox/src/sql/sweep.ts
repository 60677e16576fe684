import type { Database, Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** The topics that no sink took, each once. Index: outbox_unrouted, one probe a topic. */
export async function unroutedTopics(database: Database, limit: number): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ readonly topic: string }>(
    `with recursive found as (
      (select topic from outbox where state = 'unrouted' order by topic limit 1)
      union all
      select (select o.topic from outbox o where o.state = 'unrouted' and o.topic > found.topic order by o.topic limit 1)
      from found where found.topic is not null
    )
    select topic from found where topic is not null limit $1`,
    [limit],
  );
  return rows.map(({ topic }) => topic);
}

/** Makes unrouted messages of these topics pending, oldest first. Index: outbox_unrouted. SKIP LOCKED. */
export async function rearmTopics(database: Database, topics: readonly string[], limit: number): Promise<number> {
  const { rowCount } = await database.pool.query(
    `with next as materialized (
      select due.outbox_id from unnest($1::text[]) as t (topic)
      cross join lateral (
        select outbox_id from outbox where state = 'unrouted' and topic = t.topic
        order by outbox_id limit $2 for update skip locked
      ) as due
    )
    update outbox o set state = 'pending' from next where o.outbox_id = next.outbox_id`,
    [topics, limit],
  );
  return rowCount ?? 0;
}

/** Aggregates with held messages, those after `after` first in order. Index: outbox_held, one probe an aggregate. */
export async function heldAggregates(tx: Tx, after: string, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly aggregate: string }>`
    with recursive found as (
      (select aggregate from outbox where state = 'held' and aggregate > ${after} order by aggregate limit 1)
      union all
      select (select o.aggregate from outbox o where o.state = 'held' and o.aggregate > found.aggregate
              order by o.aggregate limit 1)
      from found where found.aggregate is not null
    )
    select aggregate from found where aggregate is not null limit ${limit}`.execute(tx);
  return rows.map(({ aggregate }) => aggregate);
}
