import type { Database } from '@mailroom/db';
import type { OutgoingMessage } from './sink.ts';
import { claimDue } from './sql/claim.ts';

export interface OutboxClaimerOptions {
  /** Who claims, for people: stored as `claimed_by`. */
  readonly relay: string;
  readonly leaseMs: number;
  /** A message whose lease ran out after so many attempts goes to `needs_review`. */
  readonly maxAttempts: number;
}

export interface OutboxClaim {
  /** Messages of one aggregate stand in the order in which they must leave, and no earlier one of it is unfinished. */
  readonly messages: readonly OutgoingMessage[];
  /** There may be more that is due: look again at once. */
  readonly more: boolean;
}

export interface OutboxClaimer {
  /**
   * Takes up to `limit` due messages in a short transaction of its own and raises their fencing tokens. Each is one attempt from now
   * on. Two claimers never hold messages of one aggregate at once. What waits behind an unfinished message of its aggregate becomes
   * `held` in passing, outside the index of what is due.
   */
  claim(limit: number): Promise<OutboxClaim>;
}

/**
 * Claims with a window of due rows that follows what it finds: as many as are wanted while all of them may leave; up to `widest` where
 * most wait behind others, so that a long queue behind one stuck message is set aside in a few claims and then costs nothing.
 */
export function createOutboxClaimer(database: Database, options: OutboxClaimerOptions): OutboxClaimer {
  let window = 0;
  return { claim };

  async function claim(limit: number): Promise<OutboxClaim> {
    window = Math.max(window, limit);
    const { messages, examined, held } = await claimDue(database, { ...options, limit, window });
    const full = examined === window;
    window = full && held > 0 ? Math.min(widest, window * 4) : limit;
    return { messages, more: full };
  }
}

const widest = 4_000;
