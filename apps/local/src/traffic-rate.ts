/** Tells how fast a count grows, from two readings of it. */
export interface TrafficRate {
  /** Takes a reading and answers the rate since the one before, per second; 0 for the first. */
  read(total: number, nowMs: number): number;
}

export function createTrafficRate(): TrafficRate {
  let previous: { readonly total: number; readonly atMs: number } | null = null;
  return {
    read(total, nowMs) {
      const since = previous;
      previous = { total, atMs: nowMs };
      if (!since || nowMs <= since.atMs) return 0;
      // It falls when rows are pruned or the count starts again; that is not traffic.
      return Math.max(0, ((total - since.total) * 1000) / (nowMs - since.atMs));
    },
  };
}
