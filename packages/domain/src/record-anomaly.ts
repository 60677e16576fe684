import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface Anomaly {
  readonly kind: string;
  /** What it is about, as in the outbox's `aggregate`. */
  readonly objectKey: string;
  /** For the person who looks at it. Ids and amounts only, no personal data. */
  readonly detail: Readonly<Record<string, string | null>>;
}

/** Leaves one row a kind and object for a person to look at, however often the fact is seen and in whatever order. */
export async function recordAnomaly(tx: Tx, anomaly: Anomaly): Promise<void> {
  await tx
    .insertInto('anomalies')
    .values({
      kind: anomaly.kind,
      object_key: anomaly.objectKey,
      detail: sql`${JSON.stringify(anomaly.detail)}::jsonb`,
    })
    .onConflict((conflict) => conflict.columns(['kind', 'object_key']).doNothing())
    .execute();
}
