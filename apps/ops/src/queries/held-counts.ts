import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/** How many events each pause or object holds, by `held_by`. Reads nothing but the index webhook_inbox_held. */
export async function heldCounts(tx: Tx): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ readonly heldBy: string; readonly events: number }>`
    select held_by as "heldBy", count(*)::float8 as events from webhook_inbox where state = 'held' group by held_by`.execute(
    tx,
  );
  return new Map(rows.map(({ heldBy, events }) => [heldBy, events]));
}
