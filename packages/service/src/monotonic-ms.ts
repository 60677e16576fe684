/** Milliseconds of the clock that nobody can set, the same in every thread of the process. */
export function monotonicMs(): bigint {
  return process.hrtime.bigint() / 1_000_000n;
}
