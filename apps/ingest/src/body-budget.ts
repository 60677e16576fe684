/** Bytes of request bodies that may lie in memory at once, over all connections. */
export interface BodyBudget {
  /** Reserves; false when the budget is spent. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** The limit of an endpoint bounds one body; this bounds all of them, however many connections are open. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}

/**
 * For one process: 256 bodies at the default limit of 1 MiB, tens of thousands of the usual kilobytes. Past it a delivery
 * is answered 503; without it ten thousand slow uploads would cost ten gigabytes, and with them the process.
 */
export const maxBodyBytesInMemory = 256 * 1024 * 1024;
