export interface ClaimSize {
  /** How many rows the worker may hold now. */
  rows(): number;
  /** A claim was filled, and what it brought took this long to begin, milliseconds. */
  workedOff(ms: number): void;
}

/**
 * How many rows to hold: few while handlers are slow, so that other workers get the rest; many while they are quick, so that a
 * claim costs little. Doubles when a full claim was begun within a tenth of a second, halves when it took more than four: about so long
 * an event of a quiet endpoint waits behind what a flood of another brought.
 */
export function createClaimSize(minRows: number, maxRows: number): ClaimSize {
  let rows = minRows;
  return {
    rows: () => rows,
    workedOff: (ms) => {
      if (ms < 100) rows = Math.min(maxRows, rows * 2);
      if (ms > 400) rows = Math.max(minRows, Math.floor(rows / 2));
    },
  };
}
