import { type Database, inTransaction, type Tx } from '@mailroom/db';
import { CodedError, formatEventKey, type HandlerOutcome } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import type { Work } from './event-handler.ts';
import type { ProcessingLimits } from './lease-policy.ts';
import { type NotDone, type ProcessResult, type RecordOptions, recordError, recordNotDone } from './record-end.ts';
import { lend } from './revocable-transaction.ts';
import { type AttemptContext, storable } from './settlement.ts';
import { type Completion, completeRows } from './sql/complete.ts';
import { lockForProcessing } from './sql/lock.ts';

export interface ProcessOptions extends RecordOptions {
  /** Connections for processing transactions. */
  readonly work: Database;
  readonly limits: ProcessingLimits;
  readonly worker: string;
  readonly release: string | null;
}

/**
 * One attempt: lock the row, check that it is still ours, run the work, record the completion, commit: all in one
 * transaction. Anything but `done` and `ignored` rolls all of it back and is then recorded under the lease.
 */
export async function processEvent(claimed: ClaimedEvent, work: Work, options: ProcessOptions): Promise<ProcessResult> {
  const context = attemptClock(options);
  try {
    return await inTransaction(options.work, async (tx) => {
      const event = (await lockForProcessing(tx, [claimed], options.limits)).get(formatEventKey(claimed));
      if (!event) return { outcome: 'stale' };
      const outcome = await lend(tx, (lent) => work(lent, event));
      const completion = completionOf(claimed, outcome);
      await complete(tx, [completion]);
      return resultOf(completion);
    });
  } catch (error) {
    return error instanceof RolledBack
      ? await recordNotDone(options, claimed, error.notDone, context())
      : await recordError(options, claimed, error, context());
  }
}

/** Measures an attempt from now on. */
function attemptClock({ worker, release }: ProcessOptions): () => AttemptContext {
  const startedAt = performance.now();
  return () => ({ worker, release, durationMs: Math.round(performance.now() - startedAt) });
}

/** What to record of an outcome. Throws `RolledBack` where the handler's writes must not stay. */
export function completionOf(claimed: ClaimedEvent, outcome: HandlerOutcome): Completion {
  switch (outcome.outcome) {
    case 'done':
      return { claimed, ignoredReason: null };
    case 'ignored':
      return { claimed, ignoredReason: storable(outcome.reason, 2_000) || 'no reason given' };
    case 'snooze':
    case 'reject':
      throw new RolledBack(outcome);
  }
}

/** Records what was done, last before COMMIT. */
export async function complete(tx: Tx, completions: readonly Completion[]): Promise<void> {
  if ((await completeRows(tx, completions)) === completions.length) return;
  // The rows are locked by this transaction, so this means that the work itself changed one.
  throw new CodedError('completion_lost', 'the inbox row changed under its own processing transaction');
}

/** How an attempt ended whose completion is committed. */
export function resultOf({ ignoredReason }: Completion): ProcessResult {
  return ignoredReason === null ? { outcome: 'processed' } : { outcome: 'ignored', reason: ignoredReason };
}

/** Carries a handler's "not now" or "never" out of the transaction, so that it rolls back. */
class RolledBack extends Error {
  readonly notDone: NotDone;

  constructor(notDone: NotDone) {
    super(notDone.outcome);
    this.notDone = notDone;
  }
}
