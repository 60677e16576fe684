import type { MetricName } from '../metrics.ts';

/** A picture of a section's figures: bars of one scenario, or one line a contender over its scenarios. */
export type Plot =
  | { readonly kind: 'bars'; readonly scenario: string; readonly metric: MetricName }
  | { readonly kind: 'lines'; readonly scenarios: readonly string[]; readonly metric: MetricName };
