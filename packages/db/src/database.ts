import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import { Pool } from 'pg';
import type { DB } from './generated.ts';
import { createStatementNames, type StatementNames } from './prepared-statements.ts';

/** A pool and Kysely over it. Both share the same connections. */
export interface Database {
  readonly pool: Pool;
  readonly kysely: Kysely<DB>;
  /** null: nothing is prepared by name. */
  readonly names: StatementNames | null;
  /** Ends the pool; waits for connections in use. */
  close(): Promise<void>;
}

/** The transaction that a handler or an append is given. It never opens or ends one itself. */
export type Tx = Transaction<DB>;

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** How long to wait for a connection, milliseconds. */
  readonly connectTimeoutMs: number;
  /** After this long without an answer the client gives the connection up, milliseconds. 0: never. */
  readonly queryTimeoutMs: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onIdleError: (error: Error) => void;
  /** Whether statements that come again and again are prepared by name, once a connection. Left out: no. */
  readonly prepare?: boolean;
  /** Called once if the server loses prepared statements, as behind a transaction-mode pooler; from then on none is prepared. */
  readonly onPreparedLost?: (error: unknown) => void;
}

/**
 * Opens a pool without connecting yet. `int8` and `numeric` arrive as strings (never rounded), `timestamptz` as `Date`.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.queryTimeoutMs,
    keepAlive: true,
    pipeline: true,
    idleTimeoutMillis: 30_000,
  });
  // Without a listener an idle connection that breaks would end the process (kysely-org/kysely#745).
  pool.on('error', options.onIdleError);
  // Nor does it listen while it hands a connection out: a server that is shutting down may end one in the same packet that opens it.
  // Whoever got that connection hears of it from the first statement.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const names = options.prepare ? createStatementNames(options.onPreparedLost ?? (() => undefined)) : null;
  // Not kysely.destroy(): it leaves the pool open where Kysely itself was never used.
  return { pool, kysely, names, close: () => pool.end() };
}
