import { classifyDatabaseError, type DatabaseErrorClass, sqlstateOf } from '@mailroom/db';
import { type BackoffPolicy, fullJitterMs, type HandlerOutcome, messageOf } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import { failureGroupOf } from './failure-group.ts';

/** What is written about an event that was not completed. */
export interface Settlement {
  readonly state: 'pending' | 'exhausted' | 'rejected' | 'parked';
  /** Why the row is in that state; null for pending and parked. */
  readonly reason: string | null;
  /** `attempt`: the attempt is given back; `infra`: given back and counted against the infrastructure budget. */
  readonly refund: 'none' | 'attempt' | 'infra';
  readonly delayMs: number;
  /** The connection broke: the event may have killed its backend, so it is next claimed alone. */
  readonly suspect: boolean;
  readonly failure: Failure | null;
}

/** One failed attempt, as it is recorded. */
export interface Failure {
  readonly worker: string;
  readonly release: string | null;
  readonly durationMs: number;
  /** `handler`, `rejected`, or what the database said. */
  readonly class: string;
  readonly sqlstate: string | null;
  readonly message: string;
  readonly stack: string | null;
  /** Which failures it looks like. */
  readonly group: string;
}

export interface RetryPolicy {
  readonly backoff: BackoffPolicy;
  /** How often a row may fail for infrastructure's sake before it is exhausted. */
  readonly maxInfraRetries: number;
}

/** Where and since when the attempt ran; `durationMs` is its length so far. */
export interface AttemptContext {
  readonly worker: string;
  readonly release: string | null;
  readonly durationMs: number;
}

/**
 * Two budgets, both bounded. Deadlock, serialization failure, lost connection, shutdown and a server out of resources are
 * infrastructure: tried again soon, the attempt given back. Everything else that is thrown consumes the attempt.
 */
export function settleError(
  claimed: ClaimedEvent,
  error: unknown,
  policy: RetryPolicy,
  context: AttemptContext,
): Settlement {
  const failure = failureOf(claimed, context, {
    class: classifyDatabaseError(error) ?? 'handler',
    sqlstate: sqlstateOf(error),
    message: storable(messageOf(error), 2_000) || 'no message',
    stack: error instanceof Error && error.stack ? storable(error.stack, 8_000) : null,
  });
  if (isInfrastructure(error)) {
    if (claimed.infraRetries < policy.maxInfraRetries) {
      const delayMs = fullJitterMs(infraBackoff, claimed.infraRetries);
      const suspect = failure.class === 'connection' || failure.class === 'shutdown';
      return { state: 'pending', reason: null, refund: 'infra', delayMs, suspect, failure };
    }
    return exhausted(`infrastructure retries used up (${claimed.infraRetries}): ${failure.class}`, failure);
  }
  if (claimed.attempts >= claimed.maxAttempts) return exhausted(`attempts used up: ${failure.class}`, failure);
  const delayMs = fullJitterMs(policy.backoff, claimed.attempts);
  return { state: 'pending', reason: null, refund: 'none', delayMs, suspect: false, failure };
}

/** Whether the fault lies with the database or the way to it, so that the same work may well succeed soon. */
export function isInfrastructure(error: unknown): boolean {
  const databaseClass = classifyDatabaseError(error);
  return databaseClass !== null && infrastructure.has(databaseClass);
}

/** What is written when a handler says not now or never. */
export function settleOutcome(
  claimed: ClaimedEvent,
  outcome: Extract<HandlerOutcome, { outcome: 'snooze' | 'reject' }>,
  context: AttemptContext,
): Settlement {
  switch (outcome.outcome) {
    case 'snooze':
      return {
        state: 'pending',
        reason: null,
        refund: 'attempt',
        delayMs: Math.max(0, outcome.delayMs),
        suspect: false,
        failure: null,
      };
    case 'reject': {
      const message = storable(`${outcome.code}: ${outcome.reason}`, 2_000);
      const shape = { class: 'rejected', sqlstate: null, message, stack: null };
      const failure = failureOf(claimed, context, shape);
      return { state: 'rejected', reason: message, refund: 'none', delayMs: 0, suspect: false, failure };
    }
  }
}

/** What is written for an event that no handler here knows. A worker that knows it re-arms the row. */
export const parked: Settlement = {
  state: 'parked',
  reason: null,
  refund: 'attempt',
  delayMs: 0,
  suspect: false,
  failure: null,
};

/** Text that PostgreSQL takes: well formed, without U+0000, cut to `limit` characters. */
export function storable(text: string, limit: number): string {
  return text.replaceAll('\0', '�').toWellFormed().slice(0, limit).toWellFormed();
}

function exhausted(reason: string, failure: Failure): Settlement {
  return { state: 'exhausted', reason, refund: 'none', delayMs: 0, suspect: false, failure };
}

function failureOf(
  { provider, eventType }: ClaimedEvent,
  context: AttemptContext,
  shape: Pick<Failure, 'class' | 'sqlstate' | 'message' | 'stack'>,
): Failure {
  return { ...context, ...shape, group: failureGroupOf({ provider, eventType, ...shape }) };
}

const infrastructure: ReadonlySet<DatabaseErrorClass> = new Set([
  'serialization',
  'deadlock',
  'connection',
  'shutdown',
  'prepared_lost',
  'resources',
]);

const infraBackoff: BackoffPolicy = { baseMs: 50, capMs: 5_000 };
