import type { Database } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { keyColumns } from './key-columns.ts';

export interface DuplicateCount extends EventKey {
  readonly count: number;
}

/**
 * Index: primary key of inbox_duplicates. Locks: upserts in key order (the caller sorts), so two of these never deadlock.
 * One statement, committed by itself.
 */
export async function countDuplicates(database: Database, rows: readonly DuplicateCount[]): Promise<void> {
  await database.pool.query(
    `insert into inbox_duplicates as d (provider, endpoint, event_id, count, first_at, last_at)
     select n.provider, n.endpoint, n.event_id, n.count, now(), now()
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) with ordinality
       as n (provider, endpoint, event_id, count, number)
     order by n.number
     on conflict (provider, endpoint, event_id) do update
     set count = d.count + excluded.count, last_at = excluded.last_at`,
    [...keyColumns(rows), rows.map((row) => row.count)],
  );
}
