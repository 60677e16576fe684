import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

export interface TableSize {
  /** Whether counting every row is cheap enough for a command that people run in an emergency. */
  readonly small: boolean;
  /** What the last ANALYZE or VACUUM found; off by what came since. */
  readonly estimatedRows: number;
}

/** Of a ledger that is split into partitions, all of them. */
export async function tableSize(tx: Tx, table: 'webhook_inbox' | 'inbox_duplicates'): Promise<TableSize> {
  const { rows } = await sql<TableSize>`
    select sum(pg_relation_size(oid)) < ${String(smallBytes)}::int8 as small, sum(greatest(reltuples, 0))::float8 as "estimatedRows"
    from pg_class
    where relkind = 'r' and (oid = ${table}::regclass
      or oid in (select inhrelid from pg_inherits where inhparent = ${table}::regclass))`.execute(tx);
  return rows[0] ?? { small: true, estimatedRows: 0 };
}

// 128 MiB: about 200,000 ledger rows, which take a tenth of a second to count; finished rows have no index to count by.
const smallBytes = 128 * 1024 * 1024;
