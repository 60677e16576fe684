import type { Database, Tx } from '@mailroom/db';
import { sql } from 'kysely';

/**
 * Runs `work` in one READ ONLY transaction over one snapshot, so that figures beside each other belong together, and a mistake
 * here could not write. No statement of it runs longer than `statementTimeoutMs`; every one of them takes only what SELECT takes.
 */
export async function readOnly<T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
  statementTimeoutMs = defaultStatementTimeoutMs,
): Promise<T> {
  return database.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      // Inside the transaction, for a pooler would hand a session's setting to somebody else.
      await sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`.execute(tx);
      return work(tx);
    });
}

// Long enough to count a backlog of millions, short enough that nobody at a terminal thinks it hangs.
const defaultStatementTimeoutMs = 20_000;
