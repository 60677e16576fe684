import { randomUUID } from 'node:crypto';
import { type Database, type DatabaseOptions, openDatabase } from '@mailroom/db';
import { inject } from 'vitest';
import { adminQuery, databaseUrl } from './admin-query.ts';

/** A migrated, empty database of one test file. */
export interface TestDatabase {
  readonly url: string;
  /** A pool of ten; connections that break while idle are replaced in silence. */
  readonly database: Database;
  /** One more pool on the same database, for tests whose clients must not share connections. Closed by `drop` too. */
  readonly open: (differing?: Partial<DatabaseOptions>) => Database;
  /** Closes the pools and drops the database, whoever is still connected. */
  readonly drop: () => Promise<void>;
}

/**
 * Clones the migrated template. Call it in `beforeAll`, `drop` in `afterAll`, and empty the tables that a test filled in
 * `beforeEach`: a clone costs far more than a DELETE.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template, prefix } = inject('testServer');
  return await createDatabase(adminUrl, prefix, `template ${template}`);
}

/** An empty database without any table, for tests of the migrator. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const { adminUrl, prefix } = inject('testServer');
  return await createDatabase(adminUrl, prefix, 'template template0');
}

async function createDatabase(adminUrl: string, prefix: string, clause: string): Promise<TestDatabase> {
  const name = `${prefix}_${randomUUID().slice(0, 8)}`;
  const url = databaseUrl(adminUrl, name);
  await adminQuery(adminUrl, `create database ${name} ${clause}`);

  const opened: Database[] = [];
  const open = (differing: Partial<DatabaseOptions> = {}) => {
    const database = openDatabase({
      url,
      applicationName: 'mailroom-test',
      maxConnections: 10,
      connectTimeoutMs: 10_000,
      queryTimeoutMs: 0,
      onIdleError: () => undefined,
      ...differing,
    });
    opened.push(database);
    return database;
  };
  const drop = async () => {
    await Promise.all(opened.map((database) => closeOnce(database)));
    await adminQuery(adminUrl, `drop database if exists ${name} with (force)`);
  };
  return { url, database: open(), open, drop };
}

// A test may have closed a pool itself, which is part of what it tests.
async function closeOnce(database: Database): Promise<void> {
  if (!database.pool.ended && !database.pool.ending) await database.close();
}
