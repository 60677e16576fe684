import type { Database } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import type { ClaimedEvent } from '../claim.ts';
import { keyColumns } from './key-columns.ts';

/**
 * Index: primary key of webhook_inbox. One statement, committed by itself. SKIP LOCKED: a row whose processing transaction holds
 * its lock cannot be claimed by anyone, and a renewal that waited for that lock would stall on its own worker.
 * Answers the keys whose lease now runs until now() + leaseMs; the others are being processed, or lost.
 */
export async function renewLeases(
  database: Database,
  claimed: readonly ClaimedEvent[],
  leaseMs: number,
): Promise<EventKey[]> {
  const { rows } = await database.pool.query<EventKey>(
    `with ours as materialized (
      select i.provider, i.endpoint, i.event_id
      from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as n (provider, endpoint, event_id, token)
      join webhook_inbox i on i.provider = n.provider and i.endpoint = n.endpoint and i.event_id = n.event_id
      where i.state = 'pending' and i.lease_token = n.token
      for update of i skip locked
    )
    update webhook_inbox i
    set leased_until = now() + $5::float8 * interval '1 ms'
    from ours
    where i.provider = ours.provider and i.endpoint = ours.endpoint and i.event_id = ours.event_id
    returning i.provider, i.endpoint, i.event_id as "eventId"`,
    [...keyColumns(claimed), claimed.map(({ leaseToken }) => leaseToken), leaseMs],
  );
  return rows;
}
