/** What one load generator sends. */
export interface LoadJob {
  /** Connections take turns over these. */
  readonly ports: readonly number[];
  /** Deliveries take turns over these. */
  readonly endpoints: readonly string[];
  readonly secret: string;
  readonly connections: number;
  /** The number of the first event; every event is another one. */
  readonly from: number;
  /** Sent and answered before the clock starts. */
  readonly warm: number;
  readonly count: number;
  /** Null: every connection sends as soon as it has its answer. Else so many a second, evenly, whatever the answers do. */
  readonly perSecond: number | null;
}

export interface LoadResult {
  readonly seconds: number;
  /** Milliseconds from the moment a delivery was due to its answer, in the order of the numbers. */
  readonly latencies: Float64Array;
  /** When each was due, milliseconds since 1970. */
  readonly dueAt: Float64Array;
}
