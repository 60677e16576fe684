import type { BenchEvent } from '../bench-event.ts';

/** A contender's queue as the bench prepares and checks it; the work itself is done in other processes. */
export interface Queue {
  readonly url: string;
  /** Removes every event and every effect. */
  empty(): Promise<void>;
  /** Adds a backlog, in whatever way is quickest. */
  fill(events: readonly BenchEvent[]): Promise<void>;
  /** Throws unless as many events are done and as many failed for good, each once, and nothing else is there. */
  check(expected: EndState): Promise<void>;
  readonly close: () => Promise<void>;
}

export interface EndState {
  readonly done: number;
  readonly failed: number;
  /** Rows in each business table. */
  readonly effects: number;
}

/** Settled statistics and a clean start for the next run, the same for everyone. */
export const settleText = ['vacuum (analyze)', 'checkpoint'] as const;
