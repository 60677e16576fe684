/** One of several workers on one backlog: works until there is nothing left. */
export interface ManyJob {
  readonly url: string;
  /** The business work of the bench; or 64 handlers, each slower than the one before, without writes. */
  readonly handlers: 'each' | 'mixed';
}

export const speeds = 64;

/** The event type of a handler that takes `speed / 8` milliseconds. */
export function typeOfSpeed(speed: number): string {
  return `bench.speed_${speed}`;
}

export interface ManyResult {
  readonly finished: number;
  /** Milliseconds since 1970. */
  readonly lastFinishedAt: number;
  /** Attempts that came to nothing. */
  readonly inVain: number;
}
