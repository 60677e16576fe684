import { CodedError } from '@mailroom/kernel';
import { DefaultQueryExecutor, PostgresDialect, Transaction } from 'kysely';
import type pg from 'pg';
import type { Database, Tx } from './database.ts';
import type { DB } from './generated.ts';
import { type StatementNames, sendPrepared } from './prepared-statements.ts';
import { classifyDatabaseError } from './sqlstate.ts';

/**
 * Runs `work` in one READ COMMITTED transaction and commits. Whatever `work` throws reaches the caller as itself, even when
 * the rollback fails too (Kysely would show the rollback's error instead); where the server ended the session between two
 * statements, that message with its SQLSTATE is the `cause`. A COMMIT that PostgreSQL turned into a ROLLBACK is thrown as
 * `transaction_aborted`. Throws `commit_outcome_unknown` when the connection broke after COMMIT was sent: it may have committed.
 *
 * Statements that are not awaited one by one go out one behind the other on the pipelined connection, and take effect in that
 * order. BEGIN does too: it costs no round trip of its own.
 */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  // A session ended by the server while no statement ran (idle-in-transaction, shutdown) says why in this event only.
  let ended: Error | undefined;
  const onError = (error: Error): void => {
    ended ??= error;
  };
  client.on('error', onError);
  let broken = false;
  try {
    const begun = client.query('begin');
    // What comes after it fails as well and says so.
    begun.catch(() => undefined);
    const result = await work(transactionOver(client, database.names));
    await begun;
    await commit(client);
    return result;
  } catch (error) {
    broken = !(await rolledBack(client));
    throw explain(error, ended);
  } finally {
    client.off('error', onError);
    client.release(broken || ended !== undefined);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await client.query('commit'));
  } catch (error) {
    if (!isLost(error)) throw error;
    throw new CodedError('commit_outcome_unknown', 'the connection broke while the transaction was committing', {
      cause: error,
    });
  }
  if (command === 'ROLLBACK') {
    throw new CodedError('transaction_aborted', 'a statement of the transaction had failed, so nothing was committed');
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    // Harmless after a COMMIT that failed: PostgreSQL has rolled back by then and only warns.
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

/** Kysely's transaction over one connection, made once a connection. Unlike Kysely's own it does not queue statements. */
function transactionOver(client: pg.PoolClient, names: StatementNames | null): Tx {
  let tx = transactionOf.get(client);
  if (!tx) {
    const connection = {
      query: (text: string, values?: unknown[]) => sendPrepared(client, names, text, values),
      release: () => {},
    };
    const pool = { connect: () => Promise.resolve(connection), end: () => Promise.resolve() };
    const dialect = new PostgresDialect({ pool: pool as unknown as pg.Pool });
    const driver = dialect.createDriver();
    const initialised = driver.init();
    const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
      provideConnection: async (consumer) => {
        await initialised;
        return consumer(await driver.acquireConnection());
      },
    });
    tx = new Transaction<DB>({ config: { dialect }, dialect, driver, executor });
    transactionOf.set(client, tx);
  }
  return tx;
}

const transactionOf = new WeakMap<pg.PoolClient, Tx>();

function explain(error: unknown, ended: Error | undefined): unknown {
  if (ended && error instanceof Error && error !== ended && isLost(error)) error.cause ??= ended;
  return error;
}

function isLost(error: unknown): boolean {
  const errorClass = classifyDatabaseError(error);
  return errorClass === 'connection' || errorClass === 'shutdown';
}
