/** Lets through a burst, then a steady rate. */
export interface TokenBucket {
  /** Takes one token; false when there is none. */
  take(): boolean;
}

/** A bucket that is full at first. `nowMs` is a clock that never goes back. */
export function createTokenBucket(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  nowMs: () => number = () => performance.now(),
): TokenBucket {
  let tokens = burst;
  let lastMs = nowMs();
  return {
    take() {
      const now = nowMs();
      tokens = Math.min(burst, tokens + ((now - lastMs) / 1000) * perSecond);
      lastMs = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
