import { loadConfig } from '@mailroom/config';
import { type Database, openDatabase } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { providers } from '@mailroom/providers';
import { databaseUrlOf } from '@mailroom/service';
import type { World } from './world.ts';

/**
 * Opens the database that `DATABASE_URL` names, else the local one that `npm start` keeps running under `MAILROOM_HOME`, and
 * closes it after `work`. Throws `config_invalid`, `no_database` where there is neither, `database_unreachable` where nobody answers.
 */
export async function withDatabase<T>(world: World, work: (database: Database, url: string) => Promise<T>): Promise<T> {
  const config = loadConfig('ops', { env: world.env, cwd: world.cwd, providers });
  const url = await databaseUrlOf(config);
  const database = openDatabase({
    url,
    applicationName: 'mailroom-ops',
    // Never more than one statement at a time: an operator's look must not cost a busy server more than a connection.
    maxConnections: 1,
    connectTimeoutMs: config.database.connectTimeoutMs,
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
    // Through Kysely, not the pool: Kysely ends the pool only where it was used itself, and a command that uses the pool
    // alone would then hang until the idle connection is given up.
    await database.kysely.connection().execute(() => Promise.resolve());
  } catch (error) {
    throw new CodedError('database_unreachable', `cannot connect to ${describeDatabase(url)}`, { cause: error });
  }
}

// Longer than every statement_timeout used here, so that the server, which says what happened, gives up first.
const clientPatienceMs = 60_000;
