/**
 * What bounds the values of a label, so that nobody who posts can make series.
 * - a list: these values; anything else becomes `other`.
 * - `provider`: one that has a configured endpoint or a handler; anything else becomes `unknown`.
 * - `endpoint`: a configured endpoint of that provider; anything else becomes `unknown`.
 * - `event_type`: a type of that provider that has a handler; anything else becomes `other`.
 * - `process`: told once, at start.
 */
export type LabelBound = readonly string[] | 'provider' | 'endpoint' | 'event_type' | 'process';

/** One row of the table of metrics. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Begins with `mailroom_`, ends with its unit: `_total` (a count that only grows), `_seconds`, `_events`, `_messages`, `_rows`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, LabelBound>>;
  /** One sentence, for the scrape and for docs/metrics.md. */
  readonly help: string;
  /** The processes that fill it. */
  readonly from: readonly ('ingest' | 'worker')[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}
