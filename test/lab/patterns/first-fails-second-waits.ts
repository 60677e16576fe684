import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { recordFirst } from '../../orders/naive-receivers.ts';
import { bookingHandler } from '../../support/booking-handler.ts';
import { delivery } from '../../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../../support/lock-waiters.ts';
import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';

const delivered = 'one event, 2 at once: the first fails';

export const firstFailsSecondWaits: Pattern = {
  name: 'first-fails-second-waits',
  title: 'The first delivery fails while the second waits',
  why: 'Whoever answers 200 because another is at work promises what that other may not keep. A second delivery must wait until the first has committed or rolled back, and in the second case do the work itself.',
  rightIn: 'packages/inbox/src/receive-and-process.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'a committed "in progress" marker; the second is told 200',
      delivered,
      expected: 'never booked',
      run: async (bench) => {
        const firstWorks = Promise.withResolvers<void>();
        const secondIsTold = Promise.withResolvers<void>();
        const first = recordFirst(bench.database, eventId, async () => {
          firstWorks.resolve();
          await secondIsTold.promise;
          throw new Error('half-way');
        });
        await firstWorks.promise;
        await recordFirst(bench.database, eventId);
        secondIsTold.resolve();
        // The first is told 503 and comes again, to find its own marker.
        if ((await first) === 503) await recordFirst(bench.database, eventId);
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: 'the second waits for the uncommitted receipt and takes over',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        const { database } = bench;
        const firstWorks = Promise.withResolvers<void>();
        const secondWaits = Promise.withResolvers<void>();
        const failing = bookingHandler(async () => {
          firstWorks.resolve();
          await secondWaits.promise;
          throw new Error('half-way');
        });
        const working = bookingHandler(() => done);
        const first = receiveAndProcess(database, delivery(eventId), [failing]).catch(() => []);
        await firstWorks.promise;
        const second = receiveAndProcess(database, delivery(eventId), [working]);
        await waitForLockWaiters(database, 1);
        secondWaits.resolve();
        await Promise.all([first, second]);
        return await bookedByProduct(bench);
      },
    },
  ],
};
