import type { DB } from '@mailroom/db';
import { type Kysely, sql } from 'kysely';
import { type SilentType, silentTypes } from './silence.ts';

/** How reconciliation stands, for status lines and gauges. */
export interface Standing {
  readonly silent: readonly SilentType[];
  readonly openFindings: number;
  /** How long ago the list that is furthest behind was swept to, seconds; null: nothing is swept. */
  readonly sweptAgeSeconds: number | null;
}

/** Read only; a few thousand rows at most. */
export async function standingOf(db: Kysely<DB>): Promise<Standing> {
  const { rows } = await sql<Omit<Standing, 'silent'>>`
    select (select count(*)::int from findings where closed_at is null) as "openFindings",
      (select extract(epoch from now() - min(swept_until))::float8 from reconcile_cursors) as "sweptAgeSeconds"`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error('a query without FROM answered no row');
  return { silent: await silentTypes(db), ...row };
}
