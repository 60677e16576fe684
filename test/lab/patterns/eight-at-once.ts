import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { bookingHandler } from '../../support/booking-handler.ts';
import { delivery } from '../../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../../support/lock-waiters.ts';
import { eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';

export const eightAtOnce: Pattern = {
  name: 'eight-at-once',
  title: 'The same event 8 times at once',
  why: 'The first INSERT of a key makes the other seven wait for its transaction, whose COMMIT turns them into duplicates. Nobody polls, nobody needs a lock beside the unique key, and no handler runs twice.',
  rightIn: 'packages/inbox/src/sql/insert-receipts.ts',
  ways: [
    {
      kind: 'right',
      does: 'receipt and booking in one transaction; seven wait for one',
      delivered: 'one event, 8 at once',
      expected: '1 processed, 7 duplicates',
      run: async ({ database, open }) => {
        const allWait = Promise.withResolvers<void>();
        const handler = bookingHandler(async () => {
          await allWait.promise;
          return done;
        });
        const answers = Array.from({ length: 8 }, () =>
          receiveAndProcess(open({ maxConnections: 1 }), delivery(eventId), [handler]),
        );
        await waitForLockWaiters(database, 7);
        allWait.resolve();
        const outcomes = (await Promise.all(answers)).flat().map(({ outcome }) => outcome);
        const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
        return `${count('processed')} processed, ${count('duplicate')} duplicates`;
      },
    },
  ],
};
