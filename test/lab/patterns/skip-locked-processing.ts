import { type ClaimedEvent, processEvent } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { claimOne, processOptions, store } from '../../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../../support/lock-waiters.ts';
import type { Bench } from '../bench.ts';
import { eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';
import { type Session, twoSessions } from '../session.ts';

const delivered = 'one event, while a second claim looks';

export const skipLockedProcessing: Pattern = {
  name: 'skip-locked-processing',
  title: 'SKIP LOCKED in the processing step',
  why: 'A competing claim locks its candidates for an instant before it sees that a row is taken, and a processing step that skips locked rows takes that for "not mine": the event then waits until its lease runs out. SKIP LOCKED is for taking any row; one row by its key wants a plain FOR UPDATE, which waits that instant.',
  rightIn: 'packages/inbox/src/sql/lock.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'lock the row by key FOR UPDATE SKIP LOCKED',
      delivered,
      expected: 'missed',
      run: (bench) =>
        whileClaimed(bench, async (claimed, competing, processing) => {
          await processing.query('begin');
          const { rowCount } = await processing.query(
            `select from webhook_inbox where event_id = $1 and state = 'pending' and lease_token = $2
             for update skip locked`,
            [claimed.eventId, claimed.leaseToken],
          );
          await competing.query('rollback');
          return rowCount === 0 ? 'missed' : 'processed';
        }),
    },
    {
      kind: 'right',
      does: 'lock the row by key FOR UPDATE',
      delivered,
      expected: 'processed',
      run: (bench) =>
        whileClaimed(bench, async (claimed, competing) => {
          const { database } = bench;
          const processed = processEvent(claimed, () => Promise.resolve(done), processOptions(database));
          await waitForLockWaiters(database, 1);
          await competing.query('rollback');
          return (await processed).outcome;
        }),
    },
  ],
};

/** Stretches the instant in which a competing claim holds its candidates, so that the step falls into it. */
async function whileClaimed(
  bench: Bench,
  step: (claimed: ClaimedEvent, competing: Session, processing: Session) => Promise<string>,
): Promise<string> {
  await store(bench.database, eventId);
  const claimed = await claimOne(bench.database);
  return await twoSessions(bench.database, async (competing, processing) => {
    await competing.query('begin');
    await competing.query(`select from webhook_inbox where state = 'pending' for update skip locked`);
    return await step(claimed, competing, processing);
  });
}
