/** Prunes everything that is old. */
export interface PruneJob {
  readonly url: string;
}

export interface PruneResult {
  readonly seconds: number;
  readonly bodies: number;
  readonly events: number;
}

/** Receives at a steady rate. Run again it goes on with the next events. */
export interface SteadyJob {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface SteadyResult {
  /** Milliseconds, from when an event was due to be received. */
  readonly latencies: Float64Array;
}
