/** A worker with the shipped handlers that notes when each event's effect was committed. */
export interface FinishJob {
  readonly url: string;
  readonly warm: number;
  readonly count: number;
}

export interface FinishResult {
  readonly seconds: number;
  /** Milliseconds since 1970, by the event's number without the warm-up's. */
  readonly finishedAt: Float64Array;
}
