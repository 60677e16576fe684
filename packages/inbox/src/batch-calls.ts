import type { Tx } from '@mailroom/db';
import { formatEventKey } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import { contextOf, type EventHandler, handleEvent } from './event-handler.ts';
import { passTurns } from './object-turn.ts';
import type { HandlerCall, HandlerEnd } from './process-batch.ts';
import type { LockedEvent } from './sql/lock.ts';

/** A claimed event with the handler that knows its type. */
export interface HandledClaim {
  readonly claimed: ClaimedEvent;
  readonly handler: EventHandler;
}

/**
 * Orders a batch into calls. A handler that takes sets gets its events in one call. Events whose handlers touch only rows of their
 * own object are interleaved, one event an object at a time. All others run one after another, ordered by object, so that batches
 * take business rows in one order. Within an object events keep the order in which they were claimed.
 */
export function callsOf(batch: readonly HandledClaim[]): readonly HandlerCall[] {
  const sets = new Map<EventHandler, ClaimedEvent[]>();
  const rounds: HandledClaim[][] = [];
  const single: HandledClaim[] = [];
  const seenOfObject = new Map<string, number>();
  for (const claim of batch) {
    const { claimed, handler } = claim;
    const { objectKey } = claimed;
    if (handler.handleMany && !handler.serialize) {
      sets.set(handler, [...(sets.get(handler) ?? []), claimed]);
    } else if (handler.ownRowsOnly && objectKey !== null) {
      const round = seenOfObject.get(objectKey) ?? 0;
      seenOfObject.set(objectKey, round + 1);
      rounds[round] = [...(rounds[round] ?? []), claim];
    } else {
      single.push(claim);
    }
  }
  const ordered = single.toSorted((a, b) => compareTexts(a.claimed.objectKey ?? '', b.claimed.objectKey ?? ''));
  return [
    ...Array.from(sets, ([handler, claimed]) => asSet(handler, claimed)),
    ...rounds.map(sideBySide),
    ...ordered.map((claim) => sideBySide([claim])),
  ];
}

function asSet(handler: EventHandler, claimed: readonly ClaimedEvent[]): HandlerCall {
  return { claimed, handle: (tx, events) => handleSet(handler, tx, events) };
}

async function handleSet(
  handler: EventHandler,
  tx: Tx,
  events: readonly LockedEvent[],
): Promise<readonly HandlerEnd[]> {
  const given = events.map((event) => contextOf(tx, event));
  const contexts = given.flatMap((one) => ('context' in one ? [one.context] : []));
  const outcomes = (await handler.handleMany?.(contexts)) ?? [];
  let next = 0;
  return given.map((one): HandlerEnd => {
    if ('refusal' in one) return one.refusal;
    const outcome = outcomes[next];
    next += 1;
    return outcome ?? { outcome: 'threw', error: new Error('handleMany answered fewer outcomes than it got events') };
  });
}

/** All at the same time on the pipelined connection; with one event, simply that event. */
function sideBySide(claims: readonly HandledClaim[]): HandlerCall {
  const handlerOf = new Map(claims.map(({ claimed, handler }) => [formatEventKey(claimed), handler]));
  return {
    claimed: claims.map(({ claimed }) => claimed),
    handle: (tx, events) =>
      Promise.all(events.map((event) => handleOne(handlerOf.get(formatEventKey(event)), tx, event))),
  };
}

async function handleOne(handler: EventHandler | undefined, tx: Tx, event: LockedEvent): Promise<HandlerEnd> {
  try {
    if (!handler) throw new Error(`no handler for ${event.eventType}`);
    const outcome = await handleEvent(handler, tx, event);
    if (handler.serialize && (outcome.outcome === 'done' || outcome.outcome === 'ignored'))
      await passTurns(tx, [event]);
    return outcome;
  } catch (error) {
    return { outcome: 'threw', error };
  }
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
