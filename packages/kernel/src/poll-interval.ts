export interface PollInterval {
  /** Something was found: look again at once the next time. */
  found(): void;
  /** How long to wait before looking again, milliseconds: doubles while nothing is found, with jitter. */
  nextMs(): number;
}

/** Adaptive polling between `minMs` and `maxMs`: quick after work, slow when idle, and no two workers in step. */
export function pollInterval(minMs: number, maxMs: number, random: () => number = Math.random): PollInterval {
  let currentMs = minMs;
  return {
    found: () => {
      currentMs = minMs;
    },
    nextMs: () => {
      const waitMs = currentMs * (0.75 + random() / 2);
      currentMs = Math.min(maxMs, currentMs * 2);
      return waitMs;
    },
  };
}
