import type { Config } from '@mailroom/config';
import { type Database, openDatabase } from '@mailroom/db';
import type { Logger } from '@mailroom/kernel';
import { databaseUrlOf } from '@mailroom/service';

/**
 * Opens the database at `DATABASE_URL`, else the local one that runs; starts none, and does not wait for it: without an
 * answer from it deliveries get 503 until there is one. Throws `no_database`.
 */
export async function openLedger(config: Config, log: Logger): Promise<Database> {
  return openDatabase({
    url: await databaseUrlOf(config),
    applicationName: 'mailroom-ingest',
    maxConnections: config.database.maxConnections,
    connectTimeoutMs: config.database.connectTimeoutMs,
    queryTimeoutMs,
    onIdleError: (error) => log.warn('database_connection_lost', { error }),
    prepare: config.database.prepare,
    onPreparedLost: (error) => log.warn('prepared_statements_off', { error }),
  });
}

/**
 * After this long a connection that does not answer is given up and replaced. Nobody waits for its answer any more (the
 * answer deadline is at most as long), and a lock wait ends earlier; but a network that swallows packets would hold the few
 * writes in flight for the minutes that TCP needs to notice.
 */
const queryTimeoutMs = 5_000;
