import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { Ending } from '../ending.ts';

/**
 * Locks the row where the fencing token is still ours. Index: primary key of outbox. May wait for a competing claim's instant.
 * `published`: it is done already, under this very token, by a commit whose answer was lost.
 */
export async function lockClaimed(tx: Tx, id: string, token: string): Promise<'ours' | 'published' | 'stale'> {
  const { rows } = await sql<{ readonly state: string; readonly claimed: boolean }>`
    select state, claimed_by is not null as claimed from outbox
    where outbox_id = ${id}::bigint and claim_token = ${token}::bigint for update`.execute(tx);
  const [row] = rows;
  if (row?.state === 'published') return 'published';
  return row?.state === 'pending' && row.claimed ? 'ours' : 'stale';
}

/**
 * Index: primary key of outbox. Marks what was sent, all in one statement, where the fencing token is still ours: a row that somebody
 * else has claimed since, or that was given back, is left alone. Answers the ids that were marked.
 */
export async function publishRows(tx: Tx, endings: readonly Ending[]): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    with ${ours(endings)}
    update outbox o
    set state = 'published', published_at = statement_timestamp(), result = n.result::jsonb, last_error = null,
        claimed_by = null, claimed_until = null
    from unnest(${idsOf(endings)}::bigint[], ${endings.map(({ result }) => result)}::text[]) as n (outbox_id, result)
    join ours on ours.outbox_id = n.outbox_id
    where o.outbox_id = n.outbox_id and ours.state = 'pending' and ours.claimed_by is not null
    returning o.outbox_id as id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** As `publishRows`, for what was not sent: when it is due again, or what it waits for, and why. */
export async function settleRows(tx: Tx, endings: readonly Ending[]): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    with ${ours(endings)}
    update outbox o
    set state = n.state, attempts = o.attempts - n.refund, available_at = now() + n.delay_ms * interval '1 ms',
        last_error = coalesce(n.error, o.last_error), claimed_by = null, claimed_until = null
    from unnest(${idsOf(endings)}::bigint[], ${endings.map(({ state }) => state)}::text[],
      ${endings.map(({ refund }) => (refund ? 1 : 0))}::int[], ${endings.map(({ delayMs }) => delayMs)}::float8[],
      ${endings.map(({ error }) => error)}::text[]) as n (outbox_id, state, refund, delay_ms, error)
    join ours on ours.outbox_id = n.outbox_id
    where o.outbox_id = n.outbox_id and ours.state = 'pending' and ours.claimed_by is not null
    returning o.outbox_id as id`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * The rows as they are once they are locked. No word of their state here, or the planner, whose statistics of a queue are seldom right,
 * walks the whole index of what is pending to find them.
 */
function ours(endings: readonly Ending[]) {
  return sql`ours as materialized (
      select o.outbox_id, o.state, o.claimed_by
      from unnest(${idsOf(endings)}::bigint[], ${endings.map(({ message }) => message.fencingToken)}::bigint[])
        as held (outbox_id, token)
      join outbox o on o.outbox_id = held.outbox_id and o.claim_token = held.token
      for update of o
    )`;
}

function idsOf(endings: readonly Ending[]): readonly string[] {
  return endings.map(({ message }) => message.id);
}
