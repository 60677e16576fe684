import type { Database } from '@mailroom/db';

/**
 * The tables that a migrated database has and that hold nothing. Those that hold something are the database's own: which
 * migrations ran, what a migration filled in.
 */
export async function tablesToEmpty(database: Database): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ relation: string }>(
    `select c.oid::regclass::text as relation from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`,
  );
  const all = rows.map(({ relation }) => relation);
  const filled = new Set(await filledOf(database, all));
  return all.filter((relation) => !filled.has(relation));
}

/** Empties tables. Those that a handler writes and no test compares too: what it finds there steers what it does. */
export async function emptyTables(database: Database, tables: readonly string[]): Promise<void> {
  const filled = await filledOf(database, tables);
  // Each truncated table costs new files on disk, so only those that hold something.
  if (filled.length > 0) await database.pool.query(`truncate ${filled.join(', ')} cascade`);
}

async function filledOf({ pool }: Database, tables: readonly string[]): Promise<readonly string[]> {
  const statements = tables.map(
    (relation) => `select '${relation}' as relation where exists (select from ${relation})`,
  );
  const { rows } = await pool.query<{ relation: string }>(statements.join(' union all '));
  return rows.map(({ relation }) => relation);
}
