import { CodedError } from '@mailroom/kernel';
import type { Database, Tx } from './database.ts';
import { classifyDatabaseError } from './sqlstate.ts';

/**
 * Runs `work` in one READ COMMITTED transaction and commits. Whatever `work` throws reaches the caller as itself, even when
 * the rollback fails too (Kysely would show the rollback's error instead). A COMMIT that PostgreSQL turned into a ROLLBACK is
 * thrown as an error. Throws `commit_outcome_unknown` when the connection broke after COMMIT was sent: it may have committed.
 */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  let workError: { readonly error: unknown } | undefined;
  let workFinished = false;
  try {
    return await database.kysely.transaction().execute(async (tx) => {
      try {
        const result = await work(tx);
        workFinished = true;
        return result;
      } catch (error) {
        workError = { error };
        throw error;
      }
    });
  } catch (error) {
    if (workError) throw workError.error;
    if (workFinished && isLost(error)) {
      throw new CodedError('commit_outcome_unknown', 'the connection broke while the transaction was committing', {
        cause: error,
      });
    }
    throw error;
  }
}

function isLost(error: unknown): boolean {
  const errorClass = classifyDatabaseError(error);
  return errorClass === 'connection' || errorClass === 'shutdown';
}
