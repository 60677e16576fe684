import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface ParkedType {
  readonly provider: string;
  readonly eventType: string;
  readonly events: number;
}

/** Which types wait for a handler, most frequent first. Reads nothing but the index webhook_inbox_parked. */
export async function parkedTypes(tx: Tx): Promise<readonly ParkedType[]> {
  const { rows } = await sql<ParkedType>`
    select provider, event_type as "eventType", count(*)::float8 as events
    from webhook_inbox where state = 'parked'
    group by provider, event_type order by events desc, provider, event_type limit ${atMost}`.execute(tx);
  return rows;
}

const atMost = 10;
