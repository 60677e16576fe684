import type { ClaimedEvent } from '@mailroom/inbox';
import type { AttemptEnd } from './report-attempt.ts';

export interface BreakerRule {
  /** Attempts within the window before anything is decided. */
  readonly minAttempts: number;
  /** Share of failures, 0 to 1, at which the breaker opens. */
  readonly failureShare: number;
  readonly windowMs: number;
}

export interface Tripped {
  readonly provider: string;
  readonly eventType: string;
  readonly reason: string;
}

/**
 * Counts, for each event type, how attempts of this worker ended lately, and says when a handler fails above the rule's rate.
 * Infrastructure failures do not count: pausing a handler would not mend a database.
 */
export function createBreaker(rule: BreakerRule): (event: ClaimedEvent, end: AttemptEnd) => Tripped | undefined {
  const windows = new Map<string, { since: number; attempts: number; failures: number }>();
  return (event, end) => {
    const { provider, eventType } = event;
    const failed = isHandlerFailure(end);
    if (failed === undefined) return undefined;
    const name = `${provider} ${eventType}`;
    const now = performance.now();
    let window = windows.get(name);
    if (!window || now - window.since > rule.windowMs) {
      window = { since: now, attempts: 0, failures: 0 };
      windows.set(name, window);
    }
    window.attempts += 1;
    if (failed) window.failures += 1;
    if (window.attempts < rule.minAttempts || window.failures < window.attempts * rule.failureShare) return undefined;
    windows.delete(name);
    const seconds = Math.round(rule.windowMs / 1000);
    return {
      provider,
      eventType,
      reason: `${window.failures} of ${window.attempts} attempts failed within ${seconds} s`,
    };
  };
}

/** undefined: says nothing about the handler. */
function isHandlerFailure(end: AttemptEnd): boolean | undefined {
  switch (end.outcome) {
    case 'processed':
    case 'ignored':
    case 'rejected':
      return false;
    case 'retried':
    case 'exhausted':
      return end.settlement.refund === 'infra' ? undefined : true;
    case 'snoozed':
    case 'stale':
    case 'parked':
    case 'held':
    case 'not_recorded':
      return undefined;
  }
}
