import { type Database, inTransaction, type Tx } from '@mailroom/db';
import { CodedError, type EventKey, formatEventKey } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import { finishedTurns, passTurnRows, stuckEvent, type TurnOf, takeTurnRow } from './sql/object-turn.ts';
import { recordAction } from './sql/record-action.ts';

/**
 * Takes the turn of an event's object, for handlers that ask for one event of an object at a time. Claimers cannot see each other's
 * uncommitted leases, so the object has a row of its own, which is the lock. Whoever has the turn keeps it through retries, so that
 * later events do not overtake; the others wait as `held`, outside the claim index. Answers whether the event may run.
 */
export async function takeTurn(database: Database, claimed: ClaimedEvent): Promise<boolean> {
  return claimed.objectKey === null || (await takeTurnRow(database, claimed, claimed.objectKey));
}

/**
 * Passes the turns of finished events on to the next that wait, or ends them, inside the transaction that finishes the events, before
 * their completion.
 */
export function passTurns(tx: Tx, events: readonly TurnOf[]): Promise<void> {
  return passTurnRows(tx, events);
}

/**
 * Lets the next event of an object overtake one that is exhausted or rejected. One row of `operator_actions`. Throws `not_stuck` where
 * the event does not have the turn of its object, or is not stuck.
 */
export async function skipStuck(database: Database, key: EventKey, actor: string, reason: string): Promise<void> {
  await inTransaction(database, async (tx) => {
    const event = await stuckEvent(tx, key);
    if (!event) {
      throw new CodedError('not_stuck', `${formatEventKey(key)} is not a stuck event that others wait for`);
    }
    await passTurnRows(tx, [event]);
    await recordAction(tx, { actor, action: 'skip', reason, selection: { keys: [formatEventKey(key)] }, affected: 1 });
  });
}

/** Passes on turns whose event finished without doing so, for its handler no longer asks for turns. Run at sweeps. */
export async function passFinishedTurns(database: Database, limit: number): Promise<number> {
  return await inTransaction(database, async (tx) => {
    const finished = await finishedTurns(tx, limit);
    await passTurnRows(tx, finished);
    return finished.length;
  });
}
