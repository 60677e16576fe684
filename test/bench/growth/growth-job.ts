/** Looks at claims and completions at one size of the backlog, then lets a worker run. */
export interface GrowthJob {
  readonly url: string;
  /** Claims of 50 that are timed, each then processed with an empty handler. */
  readonly claims: number;
  /** Events that a worker then works off; 0: none. */
  readonly count: number;
  readonly warm: number;
}

export interface GrowthResult {
  readonly claimMs: number;
  readonly completeMs: number;
  /** Null where no worker ran. */
  readonly perSecond: number | null;
}
