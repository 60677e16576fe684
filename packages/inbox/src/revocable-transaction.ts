import type { Tx } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import type { KyselyPlugin } from 'kysely';

export interface RevocableTransaction {
  readonly tx: Tx;
  /** From now on every statement through `tx` throws `transaction_revoked`. */
  revoke(): void;
}

/**
 * A handler's transaction is its own only until it returns: a statement from a forgotten promise afterwards would land in
 * somebody else's work on the same connection.
 */
export function revocable(tx: Tx): RevocableTransaction {
  let revoked = false;
  const guard: KyselyPlugin = {
    transformQuery({ node }) {
      if (revoked) {
        throw new CodedError(
          'transaction_revoked',
          'the handler has returned, its transaction is no longer its own: await every statement before returning',
        );
      }
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return {
    tx: tx.withPlugin(guard),
    revoke: () => {
      revoked = true;
    },
  };
}
