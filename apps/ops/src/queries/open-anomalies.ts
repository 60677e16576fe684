import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface OpenAnomalies {
  readonly kind: string;
  readonly open: number;
  readonly newestObjectKey: string;
  readonly newestSeenAt: Date;
}

/** What the handlers saw that should not be, and nobody has closed yet, by kind. */
export async function openAnomalies(tx: Tx): Promise<readonly OpenAnomalies[]> {
  const { rows } = await sql<OpenAnomalies>`
    select kind, count(*)::float8 as open, max(seen_at) as "newestSeenAt",
      (array_agg(object_key order by seen_at desc))[1] as "newestObjectKey"
    from anomalies where closed_at is null
    group by kind order by open desc, kind`.execute(tx);
  return rows;
}
