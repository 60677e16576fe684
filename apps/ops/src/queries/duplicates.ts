import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { tableSize } from './table-size.ts';

export interface Duplicates {
  /** Events that came more than once. */
  readonly events: number;
  /** Deliveries beyond the first, of all of them; null where the table is too large to add up. */
  readonly deliveries: number | null;
  readonly method: 'counted' | 'estimated';
}

/** Adds up while the table is small; beyond that only says how many events there are, from the statistics. */
export async function duplicateTotals(tx: Tx): Promise<Duplicates> {
  const { small, estimatedRows } = await tableSize(tx, 'inbox_duplicates');
  if (!small) return { events: estimatedRows, deliveries: null, method: 'estimated' };
  const { rows } = await sql<{ readonly events: number; readonly deliveries: number }>`
    select count(*)::float8 as events, coalesce(sum(count), 0)::float8 as deliveries from inbox_duplicates`.execute(tx);
  return { events: rows[0]?.events ?? 0, deliveries: rows[0]?.deliveries ?? 0, method: 'counted' };
}
