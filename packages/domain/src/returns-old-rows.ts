import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/**
 * Whether the server's RETURNING knows the row as it was before (`old`), which PostgreSQL 18 brought. Before that a row just
 * inserted is told from an updated one by `xmax = 0`: the update has locked the old version, the insert had none to lock.
 * Asked once a connection.
 */
export async function returnsOldRows(tx: Tx): Promise<boolean> {
  const connection = tx.getExecutor().adapter;
  const known = answers.get(connection);
  if (known !== undefined) return known;
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(tx);
  const answer = (rows[0]?.version ?? 0) >= 180_000;
  answers.set(connection, answer);
  return answer;
}

// A transaction has the adapter of its connection, through every plugin and wrapper (packages/db/src/transaction.ts).
const answers = new WeakMap<object, boolean>();
