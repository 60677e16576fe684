import { setTimeout as delay } from 'node:timers/promises';
import { CodedError } from '@mailroom/kernel';
import type { Client } from 'pg';

/**
 * Takes the migrators' session advisory lock; it ends with the connection, so a killed migrator frees it. Polled with
 * `pg_try_advisory_lock`: a blocking wait holds a snapshot, and CREATE INDEX CONCURRENTLY in the migrator that has the lock
 * would wait for that snapshot, each waiting for the other. `client` must be a direct connection: through a pooler in
 * transaction mode the lock would belong to whoever gets the server connection next. Throws `migration_lock_timeout`.
 */
export async function acquireMigrationLock(client: Client, deadlineAtMs: number): Promise<void> {
  while (!(await tryLock(client))) {
    if (Date.now() >= deadlineAtMs) {
      throw new CodedError(
        'migration_lock_timeout',
        'another process is still migrating this database and the deadline for waiting has passed. Look for it in pg_stat_activity (application_name mailroom-migrate); run the migration again when it is done.',
      );
    }
    await delay(pollMs);
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockKey]);
  return rows[0]?.locked === true;
}

// "mailroom" in ASCII. As text, for it is beyond 2^53.
const lockKey = '7881696737372368749';
const pollMs = 100;
