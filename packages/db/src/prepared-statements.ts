import { createHash } from 'node:crypto';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { Database } from './database.ts';
import { classifyDatabaseError } from './sqlstate.ts';

/** Which statements are worth a name, so that the server parses them once a connection and not every time. */
export interface StatementNames {
  /** The name of a statement seen often enough; the same text has the same name everywhere. */
  nameOf(text: string): string | undefined;
  /** No names from now on: between us and the server somebody hands connections around. */
  giveUp(error: unknown): void;
}

/**
 * Stands at the head of a statement that is planned anew each time: one whose best plan depends on how large a table is now.
 * A prepared one could keep the sequential scan that was right when the table was empty, until the next ANALYZE.
 */
export const planAnew = '/* planned anew */';

/** Names a text from its fifth use on, as pgJDBC does: one that is built anew each time would only fill the server's memory. */
export function createStatementNames(onGivenUp: (error: unknown) => void): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  let givenUp = false;
  return {
    nameOf: (text) => (givenUp ? undefined : (names.get(text) ?? earned(text))),
    giveUp: (error) => {
      if (givenUp) return;
      givenUp = true;
      onGivenUp(error);
    },
  };

  function earned(text: string): string | undefined {
    if (names.size >= maxNames || text.startsWith(planAnew)) return undefined;
    const used = (uses.get(text) ?? 0) + 1;
    if (used < usesForName) {
      if (uses.size >= maxCounted) uses.clear();
      uses.set(text, used);
      return undefined;
    }
    uses.delete(text);
    // Of the text itself: behind a pooler a connection may know a name from somebody else, and must never mean another text by it.
    const name = `mailroom_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
    return name;
  }
}

/** One statement of a transaction, by its name where it has earned one. */
export async function sendPrepared(
  client: PoolClient,
  names: StatementNames | null,
  text: string,
  values: unknown[] | undefined,
): Promise<QueryResult> {
  if (!values || values.length === 0) return await client.query(text, values);
  const name = names?.nameOf(text);
  // One behind the other on a pipelined connection, the first of them may still fail to be parsed, in a transaction that failed
  // before it; the second would then know nothing but a name that the server does not.
  if (name === undefined || name in submittedOn(client)) return await client.query(text, values);
  try {
    return await client.query({ name, text, values });
  } catch (error) {
    if (isLost(error)) names?.giveUp(error);
    throw error;
  }
}

/** One statement, committed by itself, by its name where it has earned one; if the server has lost that, once more without. */
export async function queryPrepared<Row extends QueryResultRow>(
  { pool, names }: Database,
  text: string,
  values: unknown[],
): Promise<QueryResult<Row>> {
  const name = names?.nameOf(text);
  if (name === undefined) return await pool.query<Row>(text, values);
  try {
    return await pool.query<Row>({ name, text, values });
  } catch (error) {
    if (!isLost(error)) throw error;
    names?.giveUp(error);
    return await pool.query<Row>(text, values);
  }
}

function isLost(error: unknown): boolean {
  return classifyDatabaseError(error) === 'prepared_lost';
}

/** The names that were sent to be parsed and are not yet answered: pg keeps them, and has no public way to ask. */
function submittedOn(client: PoolClient): Readonly<Record<string, string>> {
  const { connection } = client as unknown as { connection?: { submittedNamedStatements?: Record<string, string> } };
  return connection?.submittedNamedStatements ?? {};
}

const usesForName = 5;
const maxNames = 200;
const maxCounted = 2_000;
