import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** One message at the front of its aggregate that has not left. */
export interface UnsentMessage {
  readonly id: string;
  readonly state: 'pending' | 'needs_review';
  readonly topic: string;
  readonly aggregate: string;
  readonly attempts: number;
  /** How often it was claimed, ever. */
  readonly claims: string;
  readonly createdAt: Date;
  readonly availableAt: Date;
  readonly claimedBy: string | null;
  readonly claimedUntil: Date | null;
  readonly lastError: string | null;
  /** How many of its aggregate wait behind it; 1000 means that many or more. */
  readonly behind: number;
}

/**
 * What needs review first, then what failed and waits for its next attempt, then what waits longest. Indexes: outbox_needs_review, and
 * the first `looked` entries of outbox_due: beyond those a failing message goes unseen, and the backlog itself is what to look at.
 */
export async function unsentMessages(tx: Tx, limit: number): Promise<readonly UnsentMessage[]> {
  const { rows } = await sql<UnsentMessage>`
    with found as (
      (select * from outbox where state = 'needs_review' order by outbox_id limit ${limit})
      union all
      (select * from (select * from outbox where state = 'pending' order by available_at limit ${looked}) due
       order by last_error is null, available_at, outbox_id limit ${limit})
    )
    select outbox_id as id, state, topic, aggregate, attempts, claim_token as claims, created_at as "createdAt",
      available_at as "availableAt", claimed_by as "claimedBy", claimed_until as "claimedUntil", last_error as "lastError",
      (select count(*)::int from (
         select from outbox o where o.aggregate = f.aggregate and o.state in ('pending', 'held', 'needs_review')
           and o.outbox_id > f.outbox_id limit 1000
       ) x) as behind
    from found f
    order by state <> 'needs_review', last_error is null, available_at, outbox_id limit ${limit}`.execute(tx);
  return rows;
}

export interface UnroutedTopic {
  readonly topic: string;
  readonly messages: number;
  readonly oldestId: string;
}

/** Topics that no sink took, with what waits. Index: outbox_unrouted. */
export async function unroutedTopics(tx: Tx): Promise<readonly UnroutedTopic[]> {
  const { rows } = await sql<UnroutedTopic>`
    select topic, count(*)::float8 as messages, min(outbox_id) as "oldestId"
    from outbox where state = 'unrouted' group by topic order by topic limit 100`.execute(tx);
  return rows;
}

const looked = 20_000;
