/** `baseMs` and `capMs` are milliseconds. */
export interface BackoffPolicy {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Full jitter: a delay drawn evenly from `[0, min(capMs, baseMs * 2^attempts))` milliseconds, so that a herd that failed
 * together does not come back together. Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function fullJitterMs(policy: BackoffPolicy, attempts: number, random: () => number = Math.random): number {
  const ceilingMs = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempts, 52));
  return Math.floor(random() * ceilingMs);
}
