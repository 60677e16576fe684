import type { Database } from '@mailroom/db';
import { type JsonValue, readJson } from '@mailroom/kernel';
import type { OutgoingMessage } from '../sink.ts';

export interface OutboxClaimParameters {
  readonly limit: number;
  /** How many due rows to look at. */
  readonly window: number;
  readonly relay: string;
  readonly leaseMs: number;
  readonly maxAttempts: number;
}

export interface ClaimedRows {
  readonly messages: readonly OutgoingMessage[];
  readonly examined: number;
  readonly held: number;
}

/**
 * Indexes: outbox_due for what is due, outbox_of_aggregate for what stands before each (one probe a row), the primary key for the
 * updates. Isolation: READ COMMITTED, one statement, committed by itself. Locks: the candidates and the rows before them, SKIP LOCKED,
 * so it waits for nobody. The lease lies in columns that no index covers: a heap-only update.
 *
 * A row may leave when nothing unfinished of its aggregate stands before it but rows that are claimed here with it. A row that must
 * wait becomes `held` only where the row before it could be locked and is still unfinished: whoever finishes that one waits for this
 * statement and then sees the held row (`releaseNext`). MATERIALIZED keeps the planner from running the LIMIT again inside the UPDATE.
 */
export async function claimDue(
  database: Database,
  { limit, window, relay, leaseMs, maxAttempts }: OutboxClaimParameters,
): Promise<ClaimedRows> {
  const { rows } = await database.pool.query<Row>(
    `with due as materialized (
      select outbox_id, aggregate, available_at, attempts, claimed_by,
             claimed_by is not null and attempts >= $5::int as spent
      from outbox
      where state = 'pending' and available_at <= now() and (claimed_until is null or claimed_until <= now())
      order by available_at, outbox_id
      limit $1
      for update skip locked
    ),
    placed as (
      select due.*, earlier.outbox_id as before,
             lag(due.outbox_id) over line as neighbour, lag(spent) over line as neighbour_spent,
             row_number() over line as place
      from due left join lateral (
        select o.outbox_id from outbox o
        where o.aggregate = due.aggregate and o.outbox_id < due.outbox_id
          and o.state in ('pending', 'held', 'needs_review')
        order by o.outbox_id desc limit 1
      ) as earlier on true
      window line as (partition by due.aggregate order by due.outbox_id)
    ),
    judged as materialized (
      select *, bool_and(before is not distinct from neighbour and neighbour_spent is not true)
                  over (partition by aggregate order by outbox_id) as free
      from placed
    ),
    taken as (
      select outbox_id, claimed_by from judged where free and not spent
      order by place, available_at, outbox_id limit $2
    ),
    buried as (
      update outbox o
      set state = 'needs_review', claimed_by = null, claimed_until = null,
          last_error = 'attempts used up: ' || ${leaseRanOut('judged')}
      from judged where o.outbox_id = judged.outbox_id and judged.free and judged.spent
    ),
    earlier_ones as materialized (
      select outbox_id, state from outbox
      where outbox_id = any (array(select before from judged where not free and before is distinct from neighbour))
      for update skip locked
    ),
    held as (
      update outbox o
      set state = 'held', claimed_by = null, claimed_until = null
      from judged
      where o.outbox_id = judged.outbox_id and not judged.free
        and (judged.before = judged.neighbour or judged.before in (
          select outbox_id from earlier_ones where state in ('pending', 'held', 'needs_review')
        ))
      returning o.outbox_id
    ),
    claimed as (
      update outbox o
      set attempts = o.attempts + 1, claim_token = o.claim_token + 1,
          claimed_by = $3, claimed_until = now() + $4::float8 * interval '1 ms',
          last_error = case when taken.claimed_by is null then o.last_error else ${leaseRanOut('taken')} end
      from taken where o.outbox_id = taken.outbox_id
      returning o.outbox_id as id, o.topic, o.aggregate, o.payload::text as "payloadText", o.provider, o.endpoint,
        o.event_id as "eventId", o.created_at as "createdAt", o.attempts as attempt, o.claim_token as "fencingToken"
    )
    select looked.examined, looked.held, claimed.*
    from (select (select count(*)::int from due) as examined, (select count(*)::int from held) as held) as looked
    left join claimed on true
    order by claimed.id`,
    [window, limit, relay, leaseMs, maxAttempts],
  );
  const messages = rows.flatMap((row) => (row.id === null ? [] : [messageOf(row)]));
  return { messages, examined: rows[0]?.examined ?? 0, held: rows[0]?.held ?? 0 };
}

type Row = { readonly examined: number; readonly held: number } & (MessageRow | { readonly id: null });

interface MessageRow {
  readonly id: string;
  readonly topic: string;
  readonly aggregate: string;
  readonly payloadText: string;
  readonly provider: string | null;
  readonly endpoint: string | null;
  readonly eventId: string | null;
  readonly createdAt: Date;
  readonly attempt: number;
  readonly fencingToken: string;
}

function messageOf(row: MessageRow): OutgoingMessage {
  const { id, topic, aggregate, payloadText, provider, endpoint, eventId, createdAt, attempt, fencingToken } = row;
  const source = provider === null || endpoint === null || eventId === null ? null : { provider, endpoint, eventId };
  const payload = payloadOf(payloadText);
  return { id, topic, aggregate, payload, payloadText, source, createdAt, attempt, fencingToken };
}

function payloadOf(text: string): JsonValue {
  const reading = readJson(Buffer.from(text));
  if (reading.outcome === 'not_json') throw new Error(`jsonb gave what is not JSON: ${reading.reason}`);
  return reading.value;
}

function leaseRanOut(row: string): string {
  return `'the lease of ' || ${row}.claimed_by || ' ran out with no outcome: it died, stalled or lost the database'`;
}
