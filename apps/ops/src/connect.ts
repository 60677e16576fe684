import { loadConfig } from '@mailroom/config';
import { type Database, openDatabase } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { findLocalDatabase } from '@mailroom/localdb';
import { providers } from '@mailroom/providers';
import { typed } from './terminal/typed.ts';
import type { World } from './world.ts';

/**
 * Opens the database that `DATABASE_URL` names, else the local one that `npm start` keeps running under `MAILROOM_HOME`, and
 * closes it after `work`. Throws `no_database` where there is neither, `database_unreachable` where nobody answers.
 */
export async function withDatabase<T>(world: World, work: (database: Database, url: string) => Promise<T>): Promise<T> {
  const { url, connectTimeoutMs } = await locateDatabase(world);
  const database = openDatabase({
    url,
    applicationName: 'mailroom-ops',
    // Never more than one statement at a time: an operator's look must not cost a busy server more than a connection.
    maxConnections: 1,
    connectTimeoutMs,
    queryTimeoutMs: clientPatienceMs,
    // The statement that needs the connection reports it.
    onIdleError: () => undefined,
  });
  try {
    await connectOnce(database, url);
    return await work(database, url);
  } finally {
    await database.close();
  }
}

/** Where the database is. Throws `no_database`, `config_invalid`. */
export async function locateDatabase(
  world: World,
): Promise<{ readonly url: string; readonly connectTimeoutMs: number }> {
  const config = loadConfig('ops', { env: world.env, cwd: world.cwd, providers });
  const { connectTimeoutMs } = config.database;
  if (config.databaseUrl !== null) return { url: config.databaseUrl, connectTimeoutMs };
  const url = await findLocalDatabase(config.home);
  if (url !== null) return { url, connectTimeoutMs };
  throw new CodedError(
    'no_database',
    `DATABASE_URL is not set and no local database is running under ${config.home}.\n` +
      `Set DATABASE_URL, for example  DATABASE_URL=postgres://user@host:5432/mailroom ${typed('status')}\n` +
      'or start the local one in another terminal with  npm start',
  );
}

/** A database for people, without user and password: `host:port/name`. */
export function describeDatabase(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${host || searchParams.get('host') || 'localhost'}${decodeURIComponent(pathname)}`;
  } catch {
    return 'the database that DATABASE_URL names';
  }
}

async function connectOnce(database: Database, url: string): Promise<void> {
  try {
    const client = await database.pool.connect();
    client.release();
  } catch (error) {
    throw new CodedError('database_unreachable', `cannot connect to ${describeDatabase(url)}`, { cause: error });
  }
}

// Longer than every statement_timeout used here, so that the server, which says what happened, gives up first.
const clientPatienceMs = 60_000;
