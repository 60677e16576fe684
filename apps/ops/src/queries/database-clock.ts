import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** The time of the snapshot, by the clock that every time in the tables comes from. */
export async function databaseClock(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ readonly at: Date }>`select now() as at`.execute(tx);
  const at = rows[0]?.at;
  if (at === undefined) throw new Error('a query without FROM answered no row');
  return at;
}
