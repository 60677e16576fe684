import type { Tx } from './database.ts';
import { defaultMigrationsDirectory, readMigrationFiles } from './migration-files.ts';

/** How a database stands to the migrations of this release, by their names. */
export interface MigrationState {
  /** Not applied yet. */
  readonly pending: readonly string[];
  /** Applied by a newer release. */
  readonly unknown: readonly string[];
  /** Applied, and different since. */
  readonly changed: readonly string[];
}

/** Compares; applies nothing. Rejects with the database's error where there is no table of migrations at all. */
export async function migrationState(tx: Tx): Promise<MigrationState> {
  const files = await readMigrationFiles(defaultMigrationsDirectory);
  const applied = await tx.selectFrom('mailroom_migrations').select(['name', 'checksum']).orderBy('name').execute();
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  const known = new Set(files.map(({ name }) => name));
  return {
    pending: files.filter(({ name }) => !checksums.has(name)).map(({ name }) => name),
    unknown: applied.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    changed: files
      .filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
      .map(({ name }) => name),
  };
}
