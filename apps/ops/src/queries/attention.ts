import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** Unfinished events that no worker will touch by itself. */
export interface AttentionShare {
  readonly provider: string;
  readonly endpoint: string;
  readonly state: 'held' | 'exhausted' | 'rejected' | 'parked' | 'quarantined';
  readonly events: number;
}

/** Reads nothing but the index webhook_inbox_attention. */
export async function attentionShares(tx: Tx): Promise<readonly AttentionShare[]> {
  const { rows } = await sql<AttentionShare>`
    select provider, endpoint, state, count(*)::float8 as events
    from webhook_inbox where state in ('held', 'exhausted', 'rejected', 'parked', 'quarantined')
    group by provider, endpoint, state`.execute(tx);
  return rows;
}
