import { planAnew, type Tx } from '@mailroom/db';
import { type EventKey, formatEventKey } from '@mailroom/kernel';
import { sql } from 'kysely';
import type { ClaimedEvent } from '../claim.ts';
import type { ProcessingLimits } from '../lease-policy.ts';
import { keyColumns } from './key-columns.ts';

/** An event whose row this transaction holds, with all that the ledger and the delivery know of it. */
export interface LockedEvent extends EventKey {
  readonly eventType: string;
  readonly objectKey: string | null;
  readonly itemPath: readonly string[] | null;
  readonly providerTime: Date | null;
  readonly apiVersion: string | null;
  readonly account: string | null;
  readonly livemode: boolean | null;
  /** When it was first received, by the database's clock. */
  readonly receivedAt: Date;
  /**
   * SHA-256 of the signed bytes, hex, where the event id is a claim that no signature covers: the same bytes may have come
   * under another id. null: the id is signed.
   */
  readonly bodyHash: string | null;
  /** null: the body is gone. */
  readonly body: Buffer | null;
}

/**
 * Index: primary keys of webhook_inbox and webhook_delivery. Runs first in the processing transaction, READ COMMITTED.
 * Locks the rows in key order with plain FOR UPDATE, not SKIP LOCKED: a competing claim's brief candidate lock would make us miss
 * one. After a wait PostgreSQL checks the conditions again on the newest version, so a row that is no longer pending or no longer
 * ours is simply not returned. The transaction's limits are set in the same round trip, inside the transaction, so that they hold
 * behind a transaction-mode pooler too. Answers by `formatEventKey`.
 */
export async function lockForProcessing(
  tx: Tx,
  claimed: readonly ClaimedEvent[],
  limits: ProcessingLimits,
): Promise<ReadonlyMap<string, LockedEvent>> {
  const [providers, endpoints, eventIds] = keyColumns(claimed);
  const { rows } = await sql<LockedEvent>`${sql.raw(planAnew)}
    with settings as materialized (
      select
        set_config('statement_timeout', ${`${limits.statementTimeoutMs}ms`}, true),
        set_config('idle_in_transaction_session_timeout', ${`${limits.idleInTransactionTimeoutMs}ms`}, true),
        case when current_setting('server_version_num')::int >= 170000
          then set_config('transaction_timeout', ${`${limits.transactionTimeoutMs}ms`}, true) end
    )
    select i.provider, i.endpoint, i.event_id as "eventId",
      i.event_type as "eventType", i.object_key as "objectKey", i.item_path as "itemPath",
      i.provider_time as "providerTime", i.api_version as "apiVersion", i.account, i.livemode,
      i.received_at as "receivedAt", encode(i.body_sha256, 'hex') as "bodyHash", d.body
    from settings
    cross join unnest(${providers}::text[], ${endpoints}::text[], ${eventIds}::text[],
      ${claimed.map(({ leaseToken }) => leaseToken)}::uuid[]) as n (provider, endpoint, event_id, token)
    join webhook_inbox i on i.provider = n.provider and i.endpoint = n.endpoint and i.event_id = n.event_id
    left join webhook_delivery d on d.delivery_id = i.delivery_id
    where i.state = 'pending' and i.lease_token = n.token
    order by i.provider, i.endpoint, i.event_id
    for update of i`.execute(tx);
  return new Map(rows.map((row) => [formatEventKey(row), row]));
}
