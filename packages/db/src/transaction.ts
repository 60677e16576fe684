import { CodedError } from '@mailroom/kernel';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';
import type { DB } from './generated.ts';
import { classifyDatabaseError } from './sqlstate.ts';

/**
 * Runs `work` in one READ COMMITTED transaction and commits. Whatever `work` throws reaches the caller as itself, even when
 * the rollback fails too (Kysely would show the rollback's error instead); where the server ended the session between two
 * statements, that message with its SQLSTATE is the `cause`. A COMMIT that PostgreSQL turned into a ROLLBACK is thrown as an error.
 * Throws `commit_outcome_unknown` when the connection broke after COMMIT was sent: it may have committed.
 */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  // A session ended by the server while no statement ran (idle-in-transaction, shutdown) says why in this event only.
  let ended: Error | undefined;
  const onError = (error: Error): void => {
    ended ??= error;
  };
  client.on('error', onError);

  let workError: { readonly error: unknown } | undefined;
  let workFinished = false;
  let broken: unknown;
  try {
    return await kyselyOver(client)
      .transaction()
      .execute(async (tx) => {
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
    broken = isLost(error) ? error : undefined;
    if (workError) throw explain(workError.error, ended);
    if (workFinished && isLost(error)) {
      throw new CodedError('commit_outcome_unknown', 'the connection broke while the transaction was committing', {
        cause: error,
      });
    }
    throw error;
  } finally {
    client.off('error', onError);
    client.release(Boolean(ended ?? broken));
  }
}

/** Kysely over one connection, made once a connection. Its transactions begin and end on that connection. */
function kyselyOver(client: pg.PoolClient): Kysely<DB> {
  let kysely = kyselyOfClient.get(client);
  if (!kysely) {
    const connection = { query: client.query.bind(client), release: () => {} };
    const pool = { connect: () => Promise.resolve(connection), end: () => Promise.resolve() };
    kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) });
    kyselyOfClient.set(client, kysely);
  }
  return kysely;
}

const kyselyOfClient = new WeakMap<pg.PoolClient, Kysely<DB>>();

function explain(error: unknown, ended: Error | undefined): unknown {
  if (ended && error instanceof Error && error !== ended && isLost(error)) error.cause ??= ended;
  return error;
}

function isLost(error: unknown): boolean {
  const errorClass = classifyDatabaseError(error);
  return errorClass === 'connection' || errorClass === 'shutdown';
}
