import { waitForLockWaiters } from '../support/lock-waiters.ts';
import type { Bench } from './bench.ts';
import { answerTo, twoSessions } from './session.ts';

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/**
 * Two transactions run the same statement. The second waits for what the first has written, then the first commits. What the
 * second was answered, and what it is answered when its transaction is done again.
 */
export async function race(
  { database }: Bench,
  statement: string,
  isolation: Isolation = 'read committed',
): Promise<{ readonly second: string; readonly again: string }> {
  return await twoSessions(database, async (first, second) => {
    await first.query(`begin isolation level ${isolation}`);
    await first.query(statement);
    await second.query(`begin isolation level ${isolation}`);
    const answer = answerTo(second.query(statement));
    await waitForLockWaiters(database, 1);
    await first.query('commit');
    const secondAnswer = await answer;
    await second.query('rollback');
    await second.query(`begin isolation level ${isolation}`);
    return { second: secondAnswer, again: await answerTo(second.query(statement)) };
  });
}
