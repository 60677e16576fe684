import type { Rejection, VerifyOptions } from './provider.ts';

/**
 * What is wrong with a signed timestamp, or null. Two-sided: a future time would stay replayable until the tolerance has
 * passed it, which for a sender's broken clock may be years (stripe/stripe-php#657; stripe-node checks the past only).
 */
export function timestampProblem(timestampMs: number, options: VerifyOptions): Rejection | null {
  const ageMs = options.nowMs - timestampMs;
  if (ageMs > options.toleranceMs) {
    return { outcome: 'rejected', reason: 'timestamp_stale', detail: `signed ${seconds(ageMs)} s ago`, skewMs: ageMs };
  }
  if (-ageMs > options.toleranceMs) {
    return {
      outcome: 'rejected',
      reason: 'timestamp_future',
      detail: `signed ${seconds(-ageMs)} s in the future`,
      skewMs: ageMs,
    };
  }
  return null;
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
