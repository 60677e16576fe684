import { inTransaction, sqlstateOf, type Tx } from '@mailroom/db';
import { formatEventKey, type HandlerOutcome } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import { complete, completionOf, type ProcessOptions, processEvent, resultOf } from './process.ts';
import type { ProcessResult } from './record-end.ts';
import { lend } from './revocable-transaction.ts';
import { isInfrastructure } from './settlement.ts';
import type { Completion } from './sql/complete.ts';
import { type LockedEvent, lockForProcessing } from './sql/lock.ts';

/**
 * Events that are handled by one call: usually one. Several only where their handlers have declared that they touch nothing but
 * rows of their own object, or take a whole set. Answers one outcome an event, in order.
 */
export interface HandlerCall {
  readonly claimed: readonly ClaimedEvent[];
  handle(tx: Tx, events: readonly LockedEvent[]): Promise<readonly HandlerEnd[]>;
}

/** What became of one event of a call. */
export type HandlerEnd = HandlerOutcome | { readonly outcome: 'threw'; readonly error: unknown };

/**
 * How the attempt at one event of a batch ended. `not_begun`: the batch had been going on for long; the lease is still held.
 * `not_recorded`: its end could not be written, which is this event's trouble alone; its lease runs out.
 */
export interface BatchResult {
  readonly claimed: ClaimedEvent;
  readonly result:
    | ProcessResult
    | { readonly outcome: 'not_begun' }
    | { readonly outcome: 'not_recorded'; readonly error: unknown };
}

export interface BatchOptions extends ProcessOptions {
  /** After this long a batch begins no further call and commits what it has, milliseconds. */
  readonly batchMs: number;
}

/**
 * Attempts many events in one transaction: one lock statement, the calls one after another, one completion, one commit. If
 * anything throws, is snoozed or rejected, or the commit fails, everything rolls back: those at fault are done again each in a
 * transaction of its own, lock and re-check included, and the others once more together, then alone. One failing event fails alone.
 */
export async function processBatch(
  calls: readonly HandlerCall[],
  options: BatchOptions,
): Promise<readonly BatchResult[]> {
  const events = calls.flatMap(({ claimed }) => claimed);
  if (events.length <= 1) return await alone(calls, options);
  try {
    return await together(calls, options);
  } catch (error) {
    const atFault = error instanceof BatchFault ? error.events : new Set(events);
    const innocent = without(calls, atFault);
    const culprits = without(calls, new Set(events.filter((event) => !atFault.has(event))));
    return [...(await togetherOrAlone(innocent, options)), ...(await alone(culprits, options))];
  }
}

async function togetherOrAlone(calls: readonly HandlerCall[], options: BatchOptions): Promise<readonly BatchResult[]> {
  try {
    return await together(calls, options);
  } catch {
    return await alone(calls, options);
  }
}

function together(calls: readonly HandlerCall[], options: BatchOptions): Promise<readonly BatchResult[]> {
  if (calls.length === 0) return Promise.resolve([]);
  const endAt = performance.now() + options.batchMs;
  return inTransaction(options.work, async (tx) => {
    const locked = await lockForProcessing(
      tx,
      calls.flatMap(({ claimed }) => claimed),
      options.limits,
    );
    const results: BatchResult[] = [];
    const completions: Completion[] = [];
    for (const call of calls) {
      const ours = call.claimed.filter((claimed) => locked.has(formatEventKey(claimed)));
      for (const claimed of call.claimed) {
        if (!ours.includes(claimed)) results.push({ claimed, result: { outcome: 'stale' } });
      }
      if (ours.length === 0) continue;
      if (completions.length > 0 && performance.now() > endAt) {
        for (const claimed of ours) results.push({ claimed, result: { outcome: 'not_begun' } });
        continue;
      }
      completions.push(...(await run(tx, { ...call, claimed: ours }, locked)));
    }
    if (completions.length > 0) await complete(tx, completions);
    for (const completion of completions) results.push({ claimed: completion.claimed, result: resultOf(completion) });
    return results;
  });
}

async function run(
  tx: Tx,
  call: HandlerCall,
  locked: ReadonlyMap<string, LockedEvent>,
): Promise<readonly Completion[]> {
  const events = call.claimed.map((claimed) => locked.get(formatEventKey(claimed)) as LockedEvent);
  let ends: readonly HandlerEnd[];
  try {
    ends = await lend(tx, (lent) => call.handle(lent, events));
  } catch (error) {
    ends = events.map(() => ({ outcome: 'threw', error }));
  }
  const done: Completion[] = [];
  const atFault = new Set<ClaimedEvent>();
  for (const [index, claimed] of call.claimed.entries()) {
    const end = ends[index] ?? { outcome: 'threw', error: new Error('the handler answered no outcome for this event') };
    switch (end.outcome) {
      case 'threw':
        // Whose fault an aborted transaction, a deadlock or a lost connection is cannot be told here.
        if (isInfrastructure(end.error)) throw end.error;
        if (sqlstateOf(end.error) !== inFailedTransaction) atFault.add(claimed);
        break;
      case 'snooze':
      case 'reject':
        atFault.add(claimed);
        break;
      case 'done':
      case 'ignored':
        done.push(completionOf(claimed, end));
    }
  }
  if (atFault.size > 0) throw new BatchFault(atFault);
  if (done.length < call.claimed.length) throw new Error('a statement failed that nobody owned up to');
  return done;
}

/** Each event in a transaction of its own. */
async function alone(calls: readonly HandlerCall[], options: BatchOptions): Promise<readonly BatchResult[]> {
  const results: BatchResult[] = [];
  for (const call of calls) {
    for (const claimed of call.claimed) {
      const attempt = processEvent(claimed, (tx, event) => onlyOne(call, tx, event), options);
      const result = await attempt.catch((error: unknown) => ({ outcome: 'not_recorded', error }) as const);
      results.push({ claimed, result });
    }
  }
  return results;
}

async function onlyOne(call: HandlerCall, tx: Tx, event: LockedEvent): Promise<HandlerOutcome> {
  const [end] = await call.handle(tx, [event]);
  if (!end) throw new Error('the handler answered no outcome for this event');
  if (end.outcome === 'threw') throw end.error;
  return end;
}

function without(calls: readonly HandlerCall[], left: ReadonlySet<ClaimedEvent>): readonly HandlerCall[] {
  return calls
    .map((call) => ({ ...call, claimed: call.claimed.filter((claimed) => !left.has(claimed)) }))
    .filter(({ claimed }) => claimed.length > 0);
}

/** Rolls a batch back and says because of whom. */
class BatchFault extends Error {
  readonly events: ReadonlySet<ClaimedEvent>;

  constructor(events: ReadonlySet<ClaimedEvent>) {
    super('an event of the batch failed');
    this.events = events;
  }
}

const inFailedTransaction = '25P02';
