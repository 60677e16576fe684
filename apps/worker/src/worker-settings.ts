import type { ProcessingLimits, RetryPolicy } from '@mailroom/inbox';
import type { BreakerRule } from './breaker.ts';

/** How a worker works. Times are milliseconds. */
export interface WorkerSettings {
  /** Who holds a lease, for people: host, process id. */
  readonly name: string;
  readonly release: string | null;
  /** Transactions at once, each with a connection of its own. */
  readonly slots: number;
  /** Most events that share a transaction; 1: each has its own. */
  readonly batchRows: number;
  /** A transaction begins no further event after this long. */
  readonly batchMs: number;
  /** How many rows are held, at least and at most; between them it follows how quick the handlers are. */
  readonly minHeldRows: number;
  readonly maxHeldRows: number;
  readonly leaseMs: number;
  readonly limits: ProcessingLimits;
  readonly retry: RetryPolicy;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** How often the pauses in force are read. */
  readonly pauseLookMs: number;
  readonly breaker: BreakerRule & { readonly canaryAfterMs: number };
  /** How often parked rows are looked through for types that are handled here. */
  readonly sweepEveryMs: number;
}
