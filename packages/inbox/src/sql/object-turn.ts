import { type Database, inTransaction, planAnew, type Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { sql } from 'kysely';
import type { ClaimedEvent } from '../claim.ts';

/** What a turn is of. */
export interface TurnOf {
  readonly provider: string;
  readonly objectKey: string | null;
}

/**
 * Indexes: primary keys of inbox_objects and webhook_inbox. One transaction: the upsert locks the object's row until the event that
 * must wait is marked held. So whoever passes the turn on either sees it waiting or has ended the turn before, and then the upsert
 * takes it. May wait for another taker or passer of the same object, for the length of their short transactions.
 */
export function takeTurnRow(database: Database, claimed: ClaimedEvent, objectKey: string): Promise<boolean> {
  const { provider, endpoint, eventId, leaseToken } = claimed;
  return inTransaction(database, async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      insert into inbox_objects as o (provider, object_key, endpoint, event_id)
      values (${provider}, ${objectKey}, ${endpoint}, ${eventId})
      on conflict (provider, object_key) do update set event_id = o.event_id
      returning o.endpoint = ${endpoint} and o.event_id = ${eventId} as mine`.execute(tx);
    if (rows[0]?.mine) return true;
    await sql`
      update webhook_inbox
      set state = 'held', held_by = ${heldByObject(objectKey)}, state_reason = 'waits for an earlier event of its object',
          attempts = attempts - 1, lease_token = null, leased_by = null, leased_until = null
      where provider = ${provider} and endpoint = ${endpoint} and event_id = ${eventId}
        and state = 'pending' and lease_token = ${leaseToken}`.execute(tx);
    return false;
  });
}

/**
 * Indexes: primary key of inbox_objects, webhook_inbox_held. Runs in the transaction that finishes the events, before their
 * completion; objects in key order. Locks the object's row, then the next waiting event, which nobody else writes: it is held.
 */
export async function passTurnRows(tx: Tx, events: readonly TurnOf[]): Promise<void> {
  for (const { provider, objectKey } of events.toSorted(byObject)) {
    if (objectKey === null) continue;
    await sql`select from inbox_objects where provider = ${provider} and object_key = ${objectKey} for update`.execute(
      tx,
    );
    const { rows } = await sql<{ endpoint: string; eventId: string }>`${sql.raw(planAnew)}
      update webhook_inbox i
      set state = 'pending', held_by = null, state_reason = null, available_at = statement_timestamp()
      from (
        select provider, endpoint, event_id from webhook_inbox
        where state = 'held' and held_by = ${heldByObject(objectKey)} and provider = ${provider}
        order by received_at, event_id limit 1
        for update
      ) as next
      where i.provider = next.provider and i.endpoint = next.endpoint and i.event_id = next.event_id
      returning i.endpoint, i.event_id as "eventId"`.execute(tx);
    const [next] = rows;
    await (next
      ? sql`update inbox_objects set endpoint = ${next.endpoint}, event_id = ${next.eventId}, since = statement_timestamp()
            where provider = ${provider} and object_key = ${objectKey}`
      : sql`delete from inbox_objects where provider = ${provider} and object_key = ${objectKey}`
    ).execute(tx);
  }
}

/** Index: primary keys. The event, locked, if it is stuck and has the turn of its object. */
export async function stuckEvent(tx: Tx, key: EventKey): Promise<TurnOf | undefined> {
  const { rows } = await sql<TurnOf>`
    select i.provider, i.object_key as "objectKey"
    from webhook_inbox i
    join inbox_objects o on o.provider = i.provider and o.object_key = i.object_key
      and o.endpoint = i.endpoint and o.event_id = i.event_id
    where i.provider = ${key.provider} and i.endpoint = ${key.endpoint} and i.event_id = ${key.eventId}
      and i.state in ('exhausted', 'rejected')
    for update of i`.execute(tx);
  return rows[0];
}

/** Reads the turns, which are few: an object has a row only while an event of it is at work or stuck. */
export async function finishedTurns(tx: Tx, limit: number): Promise<readonly TurnOf[]> {
  const { rows } = await sql<TurnOf>`
    select o.provider, o.object_key as "objectKey"
    from inbox_objects o
    join webhook_inbox i on i.provider = o.provider and i.endpoint = o.endpoint and i.event_id = o.event_id
    where i.processed_at is not null
    limit ${limit}
    for update of o skip locked`.execute(tx);
  return rows;
}

/** The value of `held_by` for events that wait for their object. */
function heldByObject(objectKey: string): string {
  return `object:${objectKey}`.slice(0, 255);
}

function byObject(a: TurnOf, b: TurnOf): number {
  const [left, right] = [`${a.provider} ${a.objectKey}`, `${b.provider} ${b.objectKey}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
