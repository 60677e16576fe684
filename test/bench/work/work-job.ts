/** What one measured worker process has to do. */
export interface WorkJob {
  readonly url: string;
  /** Events finished before the clock starts. */
  readonly warm: number;
  /** Events finished while it runs. */
  readonly count: number;
  /** Whether one event in a hundred fails. */
  readonly failing: boolean;
  readonly way: WorkWay;
}

export type WorkWay =
  | { readonly queue: 'mailroom'; readonly handlers: MailroomHandlers; readonly env: Readonly<Record<string, string>> }
  | { readonly queue: 'graphile-worker'; readonly concurrency: number; readonly localQueue: number }
  | { readonly queue: 'pg-boss'; readonly mode: BossMode; readonly loops: number; readonly batch: number };

/** Ordinary ones; the same declared to touch only their own object's rows; in sets; doing nothing at all. */
export type MailroomHandlers = 'each' | 'own-rows' | 'set' | 'empty';

/** A transaction a job and one completion a fetch; work and completion in one transaction a job; one for the whole fetch. */
export type BossMode = 'per-job' | 'transactional' | 'set';

export interface WorkResult {
  readonly seconds: number;
  /** Attempts that came to nothing: lost leases, claims of somebody else's rows. */
  readonly inVain: number;
}

/** Runs the clock: from the first event after the warm-up to the last. */
export interface FinishLine {
  readonly reached: Promise<{ readonly seconds: number }>;
  /** An event is finished, well or not. */
  readonly finished: (eventId: string) => void;
  readonly failed: (error: unknown) => void;
}

export function createFinishLine(job: Pick<WorkJob, 'warm' | 'count'>, warm: () => void): FinishLine {
  const reached = Promise.withResolvers<{ seconds: number }>();
  const seen = new Set<string>();
  let startedAt = performance.now();
  return { reached: reached.promise, finished, failed: reached.reject };

  function finished(eventId: string): void {
    // An event that failed may be tried again; it is finished once.
    if (seen.has(eventId)) return;
    seen.add(eventId);
    if (seen.size === job.warm) {
      startedAt = performance.now();
      warm();
    }
    if (seen.size === job.warm + job.count) reached.resolve({ seconds: (performance.now() - startedAt) / 1000 });
  }
}
