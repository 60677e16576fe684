import { randomUUID } from 'node:crypto';
import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from './claim.ts';
import { heldByPause, type Pause } from './pause.ts';
import { claimCanaryRow } from './sql/canary.ts';

/** Who opens and ends breakers, in `pauses` and `operator_actions`. */
export const breakerActor = 'rule:breaker';

/**
 * Takes the canary of a breaker whose time has come: the newest of its held rows, leased and counted like every claim. Of several workers one
 * gets it. undefined: not yet, somebody else has it, or nothing is held.
 */
export async function claimCanary(
  database: Database,
  pause: Pause,
  options: { readonly worker: string; readonly leaseMs: number; readonly nextAfterMs: number },
): Promise<ClaimedEvent | undefined> {
  return await claimCanaryRow(database, {
    ...options,
    pauseId: pause.pauseId,
    heldBy: heldByPause(pause.pauseId),
    token: randomUUID(),
  });
}
