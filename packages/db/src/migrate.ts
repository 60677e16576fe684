import { CodedError, type Logger, messageOf } from '@mailroom/kernel';
import { Client } from 'pg';
import { defaultMigrationsDirectory, type MigrationFile, readMigrationFiles } from './migration-files.ts';
import { acquireMigrationLock } from './migration-lock.ts';
import { splitStatements } from './split-statements.ts';

export interface MigrateOptions {
  /** A direct connection, never a pooler in transaction mode: the lock belongs to the session. */
  readonly url: string;
  /** Folder of `NNNN_name.sql` files. Default: the repository's `migrations/`. */
  readonly directory?: string;
  /**
   * How long to wait for a connection and for another migrator, milliseconds. Does not bound the migrations themselves: one
   * that builds an index may take hours, and ending it half-way helps nobody.
   */
  readonly deadlineMs: number;
  readonly log: Logger;
}

export interface Migrated {
  /** The names applied by this call, in order; empty when there was nothing to do. */
  readonly applied: readonly string[];
}

/**
 * Brings a database up to the newest migration, forward only, each file in a transaction of its own together with its row in
 * `mailroom_migrations`. Safe when any number of processes call it at once: one works, the others wait and find nothing to do.
 * A database that is ahead of the folder is left alone, for in a rolling deployment the old release still starts.
 *
 * Throws `migration_changed` (an applied file was edited), `migration_missing` (an applied file is gone or renamed),
 * `migration_failed` (names the file and the line, the database's error is the cause; that file left nothing behind), `migration_lock_timeout`, and
 * those of reading the folder: `migrations_unreadable`, `migration_bad_name`, `migration_bad_number`.
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const deadlineAtMs = Date.now() + options.deadlineMs;
  const files = await readMigrationFiles(options.directory ?? defaultMigrationsDirectory);
  const client = new Client({
    connectionString: options.url,
    application_name: 'mailroom-migrate',
    connectionTimeoutMillis: options.deadlineMs,
    keepAlive: true,
  });
  // Without a listener a connection that breaks between two queries would end the process; the next query rejects anyway.
  client.on('error', (error) => options.log.warn('migration_connection_broken', { error: error.message }));
  await client.connect();
  try {
    await acquireMigrationLock(client, deadlineAtMs);
    const pending = pendingFiles(files, await readApplied(client), options.log);
    for (const file of pending) {
      await applyFile(client, file);
      options.log.info('migration_applied', { migration: file.name });
    }
    return { applied: pending.map((file) => file.name) };
  } finally {
    // Ending the session frees the lock. A connection that is already broken has nothing left to end.
    await client.end().catch(() => undefined);
  }
}

interface AppliedRow {
  readonly name: string;
  readonly checksum: string;
}

async function readApplied(client: Client): Promise<readonly AppliedRow[]> {
  await client.query(`
    create table if not exists mailroom_migrations (
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now(),
      constraint mailroom_migrations_pkey primary key (name)
    )`);
  const { rows } = await client.query<AppliedRow>('select name, checksum from mailroom_migrations');
  // Sorted here: the database's own order depends on its collation.
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function pendingFiles(
  files: readonly MigrationFile[],
  applied: readonly AppliedRow[],
  log: Logger,
): readonly MigrationFile[] {
  for (const [index, row] of applied.entries()) {
    const file = files[index];
    if (file === undefined) {
      log.warn('database_is_ahead', { unknown: applied.slice(index).map((ahead) => ahead.name) });
      return [];
    }
    if (file.name !== row.name) {
      throw new CodedError(
        'migration_missing',
        `the database has applied ${row.name}, but in its place the folder holds ${file.name}. Migrations are never renamed, removed or put in between.`,
      );
    }
    if (file.checksum !== row.checksum) {
      throw new CodedError(
        'migration_changed',
        `${file.name}.sql was changed after it was applied. Put the old text back and write the change as a new migration.`,
      );
    }
  }
  return files.slice(applied.length);
}

async function applyFile(client: Client, file: MigrationFile): Promise<void> {
  let line: number | null = null;
  try {
    await client.query('begin');
    for (const statement of splitStatements(file.sql)) {
      line = statement.line;
      await client.query(statement.sql);
    }
    line = null;
    await client.query('insert into mailroom_migrations (name, checksum) values ($1, $2)', [file.name, file.checksum]);
    await client.query('commit');
  } catch (error) {
    // The session ends right after this, which rolls back as well.
    await client.query('rollback').catch(() => undefined);
    const where = line === null ? '' : `, statement at line ${line}`;
    throw new CodedError('migration_failed', `${file.name}.sql${where}: ${messageOf(error)}`, { cause: error });
  }
}
