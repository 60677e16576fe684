import type { BacklogShare } from '../queries/backlog.ts';
import type { RecentFailures } from '../queries/recent-failures.ts';
import { greatest, sum } from './totals.ts';

/** A worker that left a trace: it holds leases, or an attempt of its failed in the last hour. */
export interface WorkerStatus {
  readonly worker: string;
  readonly leased: number;
  readonly leaseExpired: number;
  /** When the last of its leases runs out. */
  readonly leasedUntil: Date | null;
  /** An attempt of its failed within the window of `failures`. */
  readonly failedRecently: boolean;
}

export function workerStatuses(backlog: readonly BacklogShare[], failures: RecentFailures): readonly WorkerStatus[] {
  const failed = new Set(failures.groups.flatMap((group) => group.workers));
  const holders = backlog.map((share) => share.worker).filter((worker) => worker !== null);
  const names = [...new Set([...holders, ...failed])].toSorted();
  return names.map((worker) => {
    const held = backlog.filter((share) => share.worker === worker);
    return {
      worker,
      leased: sum(held, (share) => share.leased),
      leaseExpired: sum(held, (share) => share.leaseExpired),
      leasedUntil: latest(held.map((share) => share.leasedUntil)),
      failedRecently: failed.has(worker),
    };
  });
}

function latest(times: readonly (Date | null)[]): Date | null {
  const most = greatest(times.map((time) => time?.getTime() ?? null));
  return most === null ? null : new Date(most);
}
