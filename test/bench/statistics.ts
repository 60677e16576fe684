/** The value below which this share (0 to 1) of the values lies, by nearest rank. NaN of nothing. */
export function percentile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.min(Math.max(rank, 0), sorted.length - 1)] ?? Number.NaN;
}

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Of an even number of values the median is the mean of the two in the middle. */
export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return { median: (lower + upper) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}
