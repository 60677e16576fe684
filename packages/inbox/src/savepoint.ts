import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';

/**
 * Runs `work` under a savepoint: when it throws, what it wrote is undone, its locks are free, the transaction goes on, and the
 * error reaches the caller as itself.
 */
export async function underSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint mailroom`.execute(tx);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Where this fails the connection is gone, or the work ended the transaction itself: the first error says more.
    await sql`rollback to savepoint mailroom`.execute(tx).catch(() => undefined);
    await sql`release savepoint mailroom`.execute(tx).catch(() => undefined);
    throw error;
  }
  await sql`release savepoint mailroom`.execute(tx);
  return result;
}
