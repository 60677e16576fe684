import type { Database } from '@mailroom/db';

export interface EndpointName {
  readonly provider: string;
  readonly endpoint: string;
}

/** The endpoints that have pending events, as `found`: a loose index scan of webhook_inbox_due, one probe an endpoint. */
export const pendingEndpoints = `with recursive found as (
  (select provider, endpoint from webhook_inbox where state = 'pending' order by provider, endpoint limit 1)
  union all
  select next.provider, next.endpoint
  from found cross join lateral (
    select provider, endpoint from webhook_inbox
    where state = 'pending' and (provider, endpoint) > (found.provider, found.endpoint)
    order by provider, endpoint limit 1
  ) as next
)`;

/** Index: webhook_inbox_due, whatever the backlog. Read only. At most `limit` endpoints. */
export async function listPendingEndpoints(database: Database, limit: number): Promise<readonly EndpointName[]> {
  const { rows } = await database.pool.query<EndpointName>(
    `${pendingEndpoints} select provider, endpoint from found limit $1`,
    [limit],
  );
  return rows;
}
