/** Records the failures of events that were claimed, ten at once. */
export interface SettleJob {
  readonly url: string;
  readonly count: number;
  /** All failures alike, each unlike the others, or with no group at all. */
  readonly groups: 'one' | 'many' | 'none';
}

export interface SettleResult {
  readonly seconds: number;
}
