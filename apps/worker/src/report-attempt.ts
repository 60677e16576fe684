import type { ClaimedEvent, ProcessResult } from '@mailroom/inbox';
import { formatEventKey, type Logger, messageOf } from '@mailroom/kernel';

/** How one attempt ended. `not_recorded`: its end could not be written, so its lease runs out and the event is claimed again. */
export type AttemptEnd =
  | ProcessResult
  | { readonly outcome: 'parked' | 'held' }
  | { readonly outcome: 'not_recorded'; readonly error: unknown };

/** One line an attempt, whatever its end; never the payload. */
export function reportAttempt(
  log: Logger,
  { event, end, worker, durationMs }: { event: ClaimedEvent; end: AttemptEnd; worker: string; durationMs: number },
): void {
  log[levels[end.outcome]]('attempt_finished', {
    key: formatEventKey(event),
    event_type: event.eventType,
    attempt: event.attempts,
    worker,
    outcome: end.outcome,
    duration_ms: durationMs,
    ...('reason' in end ? { reason: end.reason } : {}),
    ...('error' in end ? { error: withCause(end.error) } : {}),
    ...('settlement' in end ? { class: end.settlement.failure?.class } : {}),
  });
}

const levels = {
  processed: 'info',
  ignored: 'info',
  snoozed: 'info',
  parked: 'info',
  held: 'info',
  stale: 'warn',
  retried: 'warn',
  rejected: 'error',
  exhausted: 'error',
  not_recorded: 'error',
} as const satisfies Record<AttemptEnd['outcome'], keyof Logger>;

function withCause(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `; because: ${messageOf(error.cause)}` : '';
  return messageOf(error) + cause;
}
