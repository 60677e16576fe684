import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface SecretUse {
  readonly provider: string;
  readonly endpoint: string;
  readonly label: string;
  /** To within some seconds. */
  readonly lastMatchAt: Date;
  /** Verified deliveries of today and the six days before, UTC. */
  readonly matchesLately: number;
}

/** One row a label that ever matched. The table has one row a label and day, so it is small. */
export async function secretUses(tx: Tx): Promise<readonly SecretUse[]> {
  const { rows } = await sql<SecretUse>`
    select provider, endpoint, secret_label as label, max(last_at) as "lastMatchAt",
           coalesce(sum(matches) filter (where day > (now() at time zone 'UTC')::date - 7), 0)::float8 as "matchesLately"
    from inbox_secret_uses group by provider, endpoint, secret_label
    order by provider, endpoint, secret_label`.execute(tx);
  return rows;
}
