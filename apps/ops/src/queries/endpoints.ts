import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface EndpointName {
  readonly provider: string;
  readonly endpoint: string;
}

/**
 * The endpoints that have events. Jumps along the primary key from one to the next (PostgreSQL has no skip scan for DISTINCT),
 * so it costs a few pages an endpoint however many events there are.
 */
export async function endpointsWithEvents(tx: Tx): Promise<readonly EndpointName[]> {
  const { rows } = await sql<EndpointName>`
    with recursive found as (
      (select provider, endpoint from webhook_inbox order by provider, endpoint limit 1)
      union all
      select following.provider, following.endpoint
      from found, lateral (
        select provider, endpoint from webhook_inbox
        where (provider, endpoint) > (found.provider, found.endpoint)
        order by provider, endpoint limit 1
      ) as following
    )
    select provider, endpoint from found`.execute(tx);
  return rows;
}
