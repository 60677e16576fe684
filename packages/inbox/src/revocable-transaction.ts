import type { Tx } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import type { KyselyPlugin } from 'kysely';

/**
 * Lends a transaction to somebody else's code for as long as it runs. Afterwards every statement through it throws
 * `transaction_revoked`: one from a forgotten promise would land in somebody else's work on the same connection.
 */
export async function lend<T>(tx: Tx, work: (lent: Tx) => Promise<T>): Promise<T> {
  let revoked = false;
  const guard: KyselyPlugin = {
    transformQuery({ node }) {
      if (!revoked) return node;
      throw new CodedError(
        'transaction_revoked',
        'the handler has returned, its transaction is no longer its own: await every statement before returning',
      );
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  try {
    return await work(tx.withPlugin(guard));
  } finally {
    revoked = true;
  }
}
