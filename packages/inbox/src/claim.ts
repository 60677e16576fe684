import { randomUUID } from 'node:crypto';
import type { Database } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { claimDue } from './sql/claim.ts';

/** A row this worker holds a lease on. The lease token is the fence: whoever has another may write nothing. */
export interface ClaimedEvent extends EventKey {
  readonly eventType: string;
  readonly objectKey: string | null;
  /** The attempt under way, counted from 1. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly infraRetries: number;
  readonly leaseToken: string;
  /** When it became due. */
  readonly availableAt: Date;
}

export interface ClaimerOptions {
  /** Who claims, for people: stored as `leased_by`. */
  readonly worker: string;
  readonly leaseMs: number;
}

export interface Claimer {
  /**
   * Takes up to `limit` due events, oldest first, in a short transaction of its own. Each is one attempt from now on. Two
   * claimers never share a row. Rows whose lease ran out are claimed again, or moved to `exhausted` at their limit.
   */
  claim(limit: number): Promise<readonly ClaimedEvent[]>;
}

/**
 * Claims with a cursor: it starts from the due time reached instead of stepping over the dead index entries that claimed rows
 * leave behind, which a long transaction keeps vacuum from removing. Measured with a snapshot held open for 200,000 events: 10,480
 * events/s against 2,510. Retries, dead leases and rows that committed late with an earlier time are found by a full sweep from
 * the start, once a second and whenever the bounded claim comes back empty.
 */
export function createClaimer(database: Database, options: ClaimerOptions): Claimer {
  let reached: Date | null = null;
  let sweptAt = Number.NEGATIVE_INFINITY;
  return { claim: claimNext };

  async function claimNext(limit: number): Promise<readonly ClaimedEvent[]> {
    if (reached && performance.now() - sweptAt < sweepEveryMs) {
      const claimed = await claimFrom(new Date(reached.getTime() - slackMs), limit);
      if (claimed.length > 0) return claimed;
    }
    sweptAt = performance.now();
    return await claimFrom(null, limit);
  }

  async function claimFrom(from: Date | null, limit: number): Promise<readonly ClaimedEvent[]> {
    const claimed = await claimDue(database, { ...options, limit, from, token: randomUUID() });
    const sorted = claimed.toSorted((a, b) => a.availableAt.getTime() - b.availableAt.getTime());
    const last = sorted.at(-1)?.availableAt;
    if (last && (!reached || last > reached)) reached = last;
    return sorted;
  }
}

/** One claim without a cursor. */
export function claim(
  database: Database,
  options: ClaimerOptions & { readonly limit: number },
): Promise<readonly ClaimedEvent[]> {
  return createClaimer(database, options).claim(options.limit);
}

const sweepEveryMs = 1_000;
/** Rows that commit out of the order of their due times are still found by the cursor when they are no later than this. */
const slackMs = 2_000;
