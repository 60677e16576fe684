import { type Database, sqlstateOf } from '@mailroom/db';
import type pg from 'pg';

/** One connection, for interleavings told step by step. */
export type Session = pg.PoolClient;

/** Lends two sessions. They are closed afterwards, so what they left open is rolled back. */
export async function twoSessions<T>(
  { pool }: Database,
  work: (first: Session, second: Session) => Promise<T>,
): Promise<T> {
  const first = await pool.connect();
  const second = await pool.connect();
  try {
    return await work(first, second);
  } finally {
    first.release(true);
    second.release(true);
  }
}

/** What a statement was answered: how many rows, or the SQLSTATE it was refused with. */
export async function answerTo(statement: Promise<{ readonly rowCount: number | null }>): Promise<string> {
  try {
    const { rowCount } = await statement;
    return rowCount === 1 ? '1 row' : `${rowCount} rows`;
  } catch (error) {
    const state = sqlstateOf(error);
    if (state === null) throw error;
    return state;
  }
}
