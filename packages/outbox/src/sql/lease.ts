import type { Database } from '@mailroom/db';
import type { OutgoingMessage } from '../sink.ts';

/**
 * Index: primary key of outbox. One statement, committed by itself, SKIP LOCKED. Answers the ids whose lease now runs until
 * now() + leaseMs; the others are being marked, or lost.
 */
export async function renewClaims(
  database: Database,
  messages: readonly OutgoingMessage[],
  leaseMs: number,
): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ readonly id: string }>(
    `with ours as materialized (${ours})
    update outbox o set claimed_until = now() + $3::float8 * interval '1 ms'
    from ours where o.outbox_id = ours.outbox_id and ours.held
    returning o.outbox_id as id`,
    [...namesOf(messages), leaseMs],
  );
  return rows.map(({ id }) => id);
}

/** As `renewClaims`; gives back what was claimed and not begun, its attempt refunded. Answers how many. */
export async function giveBackClaims(database: Database, messages: readonly OutgoingMessage[]): Promise<number> {
  const { rowCount } = await database.pool.query(
    `with ours as materialized (${ours})
    update outbox o set attempts = o.attempts - 1, claimed_by = null, claimed_until = null
    from ours where o.outbox_id = ours.outbox_id and ours.held`,
    [...namesOf(messages)],
  );
  return rowCount ?? 0;
}

// No word of the state in the join: see `publishRows`.
const ours = `
      select o.outbox_id, o.state = 'pending' and o.claimed_by is not null as held
      from unnest($1::bigint[], $2::bigint[]) as n (outbox_id, token)
      join outbox o on o.outbox_id = n.outbox_id and o.claim_token = n.token
      for update of o skip locked`;

function namesOf(messages: readonly OutgoingMessage[]): readonly [readonly string[], readonly string[]] {
  return [messages.map(({ id }) => id), messages.map(({ fencingToken }) => fencingToken)];
}
