import { randomUUID } from 'node:crypto';
import { type Database, type DatabaseOptions, openDatabase } from '@mailroom/db';
import { adminQuery, databaseUrl } from './admin-query.ts';
import type { TestServer } from './test-server.ts';

/** A database that nobody else uses. */
export interface ScratchDatabase {
  readonly url: string;
  /** Past a pooler, where the tests go through one: for what needs a session of its own. Else the same. */
  readonly directUrl: string;
  /** A pool of ten; connections that break while idle are replaced in silence. */
  readonly database: Database;
  /** One more pool on the same database, for clients that must not share connections. Closed by `drop` too. */
  readonly open: (differing?: Partial<DatabaseOptions>) => Database;
  /** Closes the pools and drops the database, whoever is still connected. */
  readonly drop: () => Promise<void>;
}

/** Makes a database from a template: the server's own, which is migrated, or PostgreSQL's `template0`. */
export async function scratchDatabase(server: TestServer, template: string): Promise<ScratchDatabase> {
  const { adminUrl, pooledUrl, prefix } = server;
  const name = `${prefix}_${randomUUID().slice(0, 8)}`;
  const url = databaseUrl(pooledUrl ?? adminUrl, name);
  const directUrl = databaseUrl(adminUrl, name);
  await adminQuery(adminUrl, `create database ${name} template ${template}`);

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
  return { url, directUrl, database: open(), open, drop };
}

// A test may have closed a pool itself, which is part of what it tests.
async function closeOnce(database: Database): Promise<void> {
  if (!database.pool.ended && !database.pool.ending) await database.close();
}
