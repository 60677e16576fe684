import { randomUUID } from 'node:crypto';
import type { Database } from '@mailroom/db';
import { compareEventKeys, type EventKey } from '@mailroom/kernel';
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
}

export interface ClaimOptions {
  /** At most this many rows. */
  readonly limit: number;
  /** Who claims, for people: stored as `leased_by`. */
  readonly worker: string;
  readonly leaseMs: number;
}

/**
 * Takes up to `limit` due events, oldest first, in a short transaction of its own. Each is one attempt from now on. Two claimers
 * never share a row. Rows whose lease ran out are claimed again, or moved to `exhausted` at their limit.
 */
export async function claim(database: Database, options: ClaimOptions): Promise<readonly ClaimedEvent[]> {
  const claimed = await claimDue(database, { ...options, token: randomUUID() });
  return claimed.toSorted(compareEventKeys);
}
