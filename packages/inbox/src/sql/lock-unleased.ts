import type { Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { sql } from 'kysely';
import type { LockedEvent } from './lock.ts';

/**
 * Index: primary keys of webhook_inbox and webhook_delivery. READ COMMITTED, after the receipts' INSERT, keys in key order.
 * Locks a known row that is due or parked and that no worker has a lease on; anything else is not returned. Plain FOR UPDATE:
 * whoever comes second waits for the first, then PostgreSQL checks the conditions again on the newest version.
 * statement_timestamp(), not now(): the caller's transaction may have begun before the row was stored.
 */
export async function lockUnleased(tx: Tx, key: EventKey): Promise<LockedEvent | undefined> {
  const { rows } = await sql<LockedEvent>`
    select i.provider, i.endpoint, i.event_id as "eventId", i.event_type as "eventType", i.object_key as "objectKey",
      i.item_path as "itemPath", i.provider_time as "providerTime", i.api_version as "apiVersion", i.account, i.livemode,
      i.received_at as "receivedAt", encode(i.body_sha256, 'hex') as "bodyHash", d.body
    from webhook_inbox i
    left join webhook_delivery d on d.delivery_id = i.delivery_id
    where i.provider = ${key.provider} and i.endpoint = ${key.endpoint} and i.event_id = ${key.eventId}
      and (i.state = 'parked' or (i.state = 'pending' and i.available_at <= statement_timestamp()))
      and i.lease_token is null and i.attempts < i.max_attempts
    for update of i`.execute(tx);
  return rows[0];
}
