import type { ProcessingLimits, RetryPolicy } from '@mailroom/inbox';

/** How a worker works. Times are milliseconds. */
export interface WorkerSettings {
  /** Who holds a lease, for people: host, process id. */
  readonly name: string;
  readonly release: string | null;
  /** Handlers at once. */
  readonly slots: number;
  /** Rows claimed ahead of a free slot. */
  readonly prefetch: number;
  readonly leaseMs: number;
  readonly limits: ProcessingLimits;
  readonly retry: RetryPolicy;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** How often parked rows are looked through for types that are handled here. */
  readonly sweepEveryMs: number;
}
