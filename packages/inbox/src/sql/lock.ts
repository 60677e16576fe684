import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { ClaimedEvent } from '../claim.ts';
import type { ProcessingLimits } from '../lease-policy.ts';

export interface LockedEvent {
  readonly itemPath: readonly string[] | null;
  readonly providerTime: Date | null;
  readonly apiVersion: string | null;
  readonly account: string | null;
  readonly livemode: boolean | null;
  /** null: the body is gone. */
  readonly body: Buffer | null;
}

/**
 * Index: primary keys of webhook_inbox and webhook_delivery. Runs first in the processing transaction, READ COMMITTED.
 * Locks the row with plain FOR UPDATE, not SKIP LOCKED: a competing claim's brief candidate lock would make us miss it. After a
 * wait PostgreSQL checks the conditions again on the newest version, so a row that is no longer pending or no longer ours is
 * simply not returned. The transaction's limits are set in the same round trip, inside the transaction, so that they hold behind
 * a transaction-mode pooler too.
 */
export async function lockForProcessing(
  tx: Tx,
  claimed: ClaimedEvent,
  limits: ProcessingLimits,
): Promise<LockedEvent | undefined> {
  const { rows } = await sql<LockedEvent>`
    with settings as materialized (
      select
        set_config('statement_timeout', ${`${limits.statementTimeoutMs}ms`}, true),
        set_config('idle_in_transaction_session_timeout', ${`${limits.idleInTransactionTimeoutMs}ms`}, true),
        case when current_setting('server_version_num')::int >= 170000
          then set_config('transaction_timeout', ${`${limits.transactionTimeoutMs}ms`}, true) end
    )
    select i.item_path as "itemPath", i.provider_time as "providerTime",
      i.api_version as "apiVersion", i.account, i.livemode, d.body
    from settings, webhook_inbox i
    left join webhook_delivery d on d.delivery_id = i.delivery_id
    where i.provider = ${claimed.provider} and i.endpoint = ${claimed.endpoint} and i.event_id = ${claimed.eventId}
      and i.state = 'pending' and i.lease_token = ${claimed.leaseToken}
    for update of i`.execute(tx);
  return rows[0];
}
