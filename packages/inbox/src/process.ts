import { type Database, inTransaction, type Tx } from '@mailroom/db';
import { CodedError, type HandlerOutcome, messageOf } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import type { Work } from './event-handler.ts';
import type { ProcessingLimits } from './lease-policy.ts';
import { revocable } from './revocable-transaction.ts';
import {
  type AttemptContext,
  isInfrastructure,
  type RetryPolicy,
  type Settlement,
  settleError,
  settleOutcome,
  storable,
} from './settlement.ts';
import { completeRows } from './sql/complete.ts';
import { lockForProcessing } from './sql/lock.ts';
import { readBack } from './sql/read-back.ts';
import { settleRow } from './sql/settle.ts';

export interface ProcessOptions {
  /** Connections for processing transactions. */
  readonly work: Database;
  /** Connections for everything short; apart, so that busy handlers never starve it. */
  readonly control: Database;
  readonly limits: ProcessingLimits;
  readonly retry: RetryPolicy;
  readonly worker: string;
  readonly release: string | null;
}

/** How an attempt ended. `stale`: the row was no longer ours and nothing was written. */
export type ProcessResult =
  | { readonly outcome: 'processed' | 'stale' }
  | { readonly outcome: 'ignored'; readonly reason: string }
  | { readonly outcome: 'snoozed'; readonly reason: string; readonly delayMs: number }
  | { readonly outcome: 'rejected'; readonly reason: string }
  | { readonly outcome: 'retried' | 'exhausted'; readonly error: unknown; readonly settlement: Settlement };

/**
 * One attempt: lock the row, check that it is still ours, run the work, record the completion, commit: all in one
 * transaction. Anything but `done` and `ignored` rolls all of it back and is then recorded under the lease.
 */
export async function processEvent(claimed: ClaimedEvent, work: Work, options: ProcessOptions): Promise<ProcessResult> {
  const startedAt = performance.now();
  const context = (): AttemptContext => ({
    worker: options.worker,
    release: options.release,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    return await inTransaction(options.work, (tx) => attempt(tx, claimed, work, options.limits));
  } catch (error) {
    if (error instanceof NotNow) {
      const settlement = settleOutcome(error.outcome, context());
      return (await settle(options, claimed, settlement)) ? notNowResult(error.outcome, settlement) : stale;
    }
    if (error instanceof CodedError && error.code === 'commit_outcome_unknown') {
      const found = await persist(error, () => readBack(options.control, claimed));
      if (found === 'finished') return { outcome: 'processed' };
      if (found === 'lost') return stale;
    }
    const settlement = settleError(claimed, error, options.retry, context());
    if (!(await settle(options, claimed, settlement))) return stale;
    return { outcome: settlement.state === 'exhausted' ? 'exhausted' : 'retried', error, settlement };
  }
}

async function attempt(tx: Tx, claimed: ClaimedEvent, work: Work, limits: ProcessingLimits): Promise<ProcessResult> {
  const event = await lockForProcessing(tx, claimed, limits);
  if (!event) return stale;
  const lent = revocable(tx);
  let outcome: HandlerOutcome;
  try {
    outcome = await work(lent.tx, event);
  } finally {
    lent.revoke();
  }
  switch (outcome.outcome) {
    case 'done':
      await complete(tx, claimed, null);
      return { outcome: 'processed' };
    case 'ignored': {
      const reason = storable(outcome.reason, 2_000) || 'no reason given';
      await complete(tx, claimed, reason);
      return { outcome: 'ignored', reason };
    }
    case 'snooze':
    case 'reject':
      throw new NotNow(outcome);
  }
}

async function complete(tx: Tx, claimed: ClaimedEvent, ignoredReason: string | null): Promise<void> {
  if ((await completeRows(tx, [{ claimed, ignoredReason }])) === 1) return;
  // The row is locked by this transaction, so this means that the work itself changed the row.
  throw new CodedError('completion_lost', 'the inbox row changed under its own processing transaction');
}

function settle(options: ProcessOptions, claimed: ClaimedEvent, settlement: Settlement): Promise<boolean> {
  return persist(settlement.failure?.message, () => settleRow(options.control, claimed, settlement));
}

/** Tries again while the database may be away. Past that the lease runs out and another worker takes over. */
async function persist<T>(about: unknown, record: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await record();
    } catch (error) {
      if (tries >= recordTries || !isInfrastructure(error)) {
        throw new CodedError(
          'attempt_not_recorded',
          `the end of the attempt could not be recorded: ${messageOf(about)}`,
          {
            cause: error,
          },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** tries));
    }
  }
}

const recordTries = 5;

function notNowResult(outcome: NotNow['outcome'], settlement: Settlement): ProcessResult {
  return outcome.outcome === 'snooze'
    ? { outcome: 'snoozed', reason: outcome.reason, delayMs: settlement.delayMs }
    : { outcome: 'rejected', reason: settlement.reason ?? outcome.reason };
}

const stale: ProcessResult = { outcome: 'stale' };

/** Carries a handler's "not now" or "never" out of the transaction, so that it rolls back. */
class NotNow extends Error {
  readonly outcome: Extract<HandlerOutcome, { outcome: 'snooze' | 'reject' }>;

  constructor(outcome: Extract<HandlerOutcome, { outcome: 'snooze' | 'reject' }>) {
    super(outcome.outcome);
    this.outcome = outcome;
  }
}
