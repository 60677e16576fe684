import type { Database } from '@mailroom/db';
import type { ClaimedEvent } from '../claim.ts';
import { keyColumns } from './key-columns.ts';

/**
 * Index: primary key of webhook_inbox. One statement, committed by itself, SKIP LOCKED: waits for nobody.
 * Gives rows back that were claimed and not begun: the lease ends and the attempt is refunded. Answers how many.
 */
export async function returnRows(database: Database, claimed: readonly ClaimedEvent[]): Promise<number> {
  const { rowCount } = await database.pool.query(
    `with ours as materialized (
      select i.provider, i.endpoint, i.event_id
      from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as n (provider, endpoint, event_id, token)
      join webhook_inbox i on i.provider = n.provider and i.endpoint = n.endpoint and i.event_id = n.event_id
      where i.state = 'pending' and i.lease_token = n.token
      for update of i skip locked
    )
    update webhook_inbox i
    set attempts = attempts - 1, lease_token = null, leased_by = null, leased_until = null
    from ours
    where i.provider = ours.provider and i.endpoint = ours.endpoint and i.event_id = ours.event_id`,
    [...keyColumns(claimed), claimed.map(({ leaseToken }) => leaseToken)],
  );
  return rowCount ?? 0;
}
