import { planAnew, type Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { ClaimedEvent } from '../claim.ts';
import { keyColumns } from './key-columns.ts';

export interface Completion {
  readonly claimed: ClaimedEvent;
  /** null: processed. A text: ignored, and why. */
  readonly ignoredReason: string | null;
}

/**
 * Index: primary key of webhook_inbox. Runs last before COMMIT, in the transaction that did the work and holds the rows' locks
 * already, so it waits for nobody. Late on purpose: an uncommitted UPDATE makes a redelivery's DO NOTHING wait, a plain FOR UPDATE
 * does not. Answers how many rows were completed; fewer than given means that a lease was lost.
 */
export async function completeRows(tx: Tx, completions: readonly Completion[]): Promise<number> {
  const [providers, endpoints, eventIds] = keyColumns(completions.map(({ claimed }) => claimed));
  const result = await sql`${sql.raw(planAnew)}
    update webhook_inbox i
    set state = case when n.reason is null then 'processed' else 'ignored' end, state_reason = n.reason,
        processed_at = statement_timestamp(), lease_token = null, leased_by = null, leased_until = null
    from unnest(${providers}::text[], ${endpoints}::text[], ${eventIds}::text[],
      ${completions.map(({ claimed }) => claimed.leaseToken)}::uuid[],
      ${completions.map(({ ignoredReason }) => ignoredReason)}::text[]) as n (provider, endpoint, event_id, token, reason)
    where i.provider = n.provider and i.endpoint = n.endpoint and i.event_id = n.event_id
      and i.state = 'pending' and i.lease_token = n.token`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}
