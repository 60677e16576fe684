import type { Database } from '@mailroom/db';
import { CodedError, type HandlerOutcome, messageOf } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import {
  type AttemptContext,
  isInfrastructure,
  type RetryPolicy,
  type Settlement,
  settleError,
  settleOutcome,
} from './settlement.ts';
import { readBack } from './sql/read-back.ts';
import { settleRow } from './sql/settle.ts';

/** How an attempt ended. `stale`: the row was no longer ours and nothing was written. */
export type ProcessResult =
  | { readonly outcome: 'processed' | 'stale' }
  | { readonly outcome: 'ignored'; readonly reason: string }
  | { readonly outcome: 'snoozed'; readonly reason: string; readonly delayMs: number }
  | { readonly outcome: 'rejected'; readonly reason: string }
  | { readonly outcome: 'retried' | 'exhausted'; readonly error: unknown; readonly settlement: Settlement };

/** A handler's "not now" or "never". */
export type NotDone = Extract<HandlerOutcome, { outcome: 'snooze' | 'reject' }>;

export interface RecordOptions {
  /** Connections for everything short; apart from the working ones, so that busy handlers never starve it. */
  readonly control: Database;
  readonly retry: RetryPolicy;
}

/** Records, under the lease, that a handler said not now or never. Its transaction has been rolled back. */
export async function recordNotDone(
  options: RecordOptions,
  claimed: ClaimedEvent,
  notDone: NotDone,
  context: AttemptContext,
): Promise<ProcessResult> {
  const settlement = settleOutcome(claimed, notDone, context);
  const ours = await persist(notDone.reason, () => settleRow(options.control, claimed, settlement));
  if (!ours) return { outcome: 'stale' };
  return notDone.outcome === 'snooze'
    ? { outcome: 'snoozed', reason: notDone.reason, delayMs: settlement.delayMs }
    : { outcome: 'rejected', reason: settlement.reason ?? notDone.reason };
}

/** Records, under the lease, an attempt that failed; finds out first what became of a COMMIT that got no answer. */
export async function recordError(
  options: RecordOptions,
  claimed: ClaimedEvent,
  error: unknown,
  context: AttemptContext,
): Promise<ProcessResult> {
  if (error instanceof CodedError && error.code === 'commit_outcome_unknown') {
    const found = await persist(error, () => readBack(options.control, claimed));
    if (found === 'finished') return { outcome: 'processed' };
    if (found === 'lost') return { outcome: 'stale' };
  }
  const settlement = settleError(claimed, error, options.retry, context);
  const ours = await persist(error, () => settleRow(options.control, claimed, settlement));
  if (!ours) return { outcome: 'stale' };
  return { outcome: settlement.state === 'exhausted' ? 'exhausted' : 'retried', error, settlement };
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
