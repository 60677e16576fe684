import { randomUUID } from 'node:crypto';
import type { Database } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { createEndpointTurns } from './endpoint-turns.ts';
import { claimInTurns, claimSuspect, suspectsDue } from './sql/claim.ts';
import { listPendingEndpoints } from './sql/list-endpoints.ts';

/** A row this worker holds a lease on. The lease token is the fence: whoever has another may write nothing. */
export interface ClaimedEvent extends EventKey {
  readonly eventType: string;
  readonly objectKey: string | null;
  /** The attempt under way, counted from 1. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly infraRetries: number;
  readonly leaseToken: string;
  /** Which failures its last one looks like. */
  readonly failureGroup: string | null;
  /** When it became due. */
  readonly availableAt: Date;
  /** It may kill its process: its lease ran out with no outcome before. */
  readonly suspect: boolean;
}

export interface ClaimerOptions {
  /** Who claims, for people: stored as `leased_by`. */
  readonly worker: string;
  readonly leaseMs: number;
}

export interface Claimer {
  /**
   * Takes up to `limit` due events, endpoints in turn, each oldest first, in a short transaction of its own. Each is one attempt
   * from now on. Two claimers never share a row. Rows whose lease ran out become suspects, or `exhausted` at their limit.
   */
  claim(limit: number): Promise<readonly ClaimedEvent[]>;
  /** Whether there are suspects to take. Read only, one probe of a small index. */
  suspectsDue(): Promise<boolean>;
  /** Takes one suspect, for a worker that holds nothing else. */
  claimSuspect(): Promise<ClaimedEvent | undefined>;
}

/**
 * Claims with a cursor an endpoint: from the due time reached, instead of stepping over the dead index entries that claimed rows
 * leave behind, which a long transaction keeps vacuum from removing. Measured with a snapshot held open for 200,000 events: 10,480
 * events/s against 2,510. Retries, dead leases, rows that committed late with an earlier time and endpoints not heard of lately are
 * found by a full sweep from the start, once a second and whenever the bounded claim comes back empty.
 */
export function createClaimer(database: Database, options: ClaimerOptions): Claimer {
  const turns = createEndpointTurns();
  let sweptAt = Number.NEGATIVE_INFINITY;
  return { claim: claimNext, claimSuspect: claimOneSuspect, suspectsDue: () => suspectsDue(database) };

  async function claimNext(limit: number): Promise<readonly ClaimedEvent[]> {
    if (performance.now() - sweptAt < sweepEveryMs) {
      const claimed = await claimFrom(limit, false);
      if (claimed.length > 0) return claimed;
    }
    sweptAt = performance.now();
    turns.listed(await listPendingEndpoints(database, listAtMost));
    return await claimFrom(limit, true);
  }

  async function claimFrom(limit: number, sweep: boolean): Promise<readonly ClaimedEvent[]> {
    const asked = turns.next(limit, sweep);
    if (asked.length === 0) return [];
    const claimed = await claimInTurns(database, asked, { ...options, limit, token: randomUUID() });
    turns.came(asked, claimed);
    return claimed.toSorted((a, b) => a.availableAt.getTime() - b.availableAt.getTime());
  }

  async function claimOneSuspect(): Promise<ClaimedEvent | undefined> {
    const [suspect] = await claimSuspect(database, { ...options, limit: 1, token: randomUUID() });
    return suspect;
  }
}

const sweepEveryMs = 1_000;
const listAtMost = 100_000;
