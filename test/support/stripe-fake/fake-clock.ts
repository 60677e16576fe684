/** A clock that stands still until it is moved. */
export interface FakeClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs the task when the clock has been moved that far. */
  readonly after: (ms: number, task: () => unknown) => void;
  /** Moves the clock and runs what has become due, in the order of time, each to its end before the next begins. */
  readonly advance: (ms: number) => Promise<void>;
}

/** Begins at the given moment, or now. */
export function createFakeClock(startMs = Date.now()): FakeClock {
  let nowMs = startMs;
  let tasks: { readonly atMs: number; readonly task: () => unknown }[] = [];
  return {
    now: () => nowMs,
    after: (ms, task) => void tasks.push({ atMs: nowMs + ms, task }),
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      for (;;) {
        const next = tasks.toSorted((a, b) => a.atMs - b.atMs).find(({ atMs }) => atMs <= untilMs);
        if (next === undefined) break;
        tasks = tasks.filter((task) => task !== next);
        nowMs = Math.max(nowMs, next.atMs);
        await next.task();
      }
      nowMs = untilMs;
    },
  };
}

export const hourMs = 3_600_000;
