import type { Database } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import type { ClaimedEvent } from './claim.ts';
import { parked } from './settlement.ts';
import { rearmParked } from './sql/rearm.ts';
import { renewLeases } from './sql/renew.ts';
import { returnRows } from './sql/return.ts';
import { settleRow } from './sql/settle.ts';

/**
 * Renews the leases of claimed rows to `leaseMs` milliseconds from now. Never waits. Answers the keys renewed; a row that is
 * not among them is being processed (its lock protects it) or was lost.
 */
export function renew(
  database: Database,
  claimed: readonly ClaimedEvent[],
  leaseMs: number,
): Promise<readonly EventKey[]> {
  return renewLeases(database, claimed, leaseMs);
}

/** Gives back rows that were claimed but not begun, attempt refunded. Answers how many were still ours. */
export function giveBack(database: Database, claimed: readonly ClaimedEvent[]): Promise<number> {
  return returnRows(database, claimed);
}

/** Sets an event aside that no handler here knows; costs no attempt. Answers whether the row was still ours. */
export function park(database: Database, claimed: ClaimedEvent): Promise<boolean> {
  return settleRow(database, claimed, parked);
}

/**
 * Makes parked rows pending whose type this worker handles; run at start and at every sweep, so that a rolling deployment
 * strands nothing. At most `limit` rows a call; answers how many.
 */
export function rearm(
  database: Database,
  types: readonly { readonly provider: string; readonly eventType: string }[],
  limit: number,
): Promise<number> {
  return rearmParked(database, types, limit);
}
