import { recordLast } from '../../orders/naive-receivers.ts';
import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';
import { runUntilKilled } from '../run-until-killed.ts';
import { deliver } from '../through-the-product.ts';

const crash = 'test/orders/crash-in-the-middle.ts';
const delivered = 'one event, twice: SIGKILL after booking';

export const recordLastThenCrash: Pattern = {
  name: 'record-last-then-crash',
  title: 'Record last, then crash',
  why: 'Between the commit of the work and the commit of the record there is a moment in which the process can die, and the redelivery finds no record. One COMMIT has no such moment.',
  rightIn: 'packages/inbox/src/receive-and-process.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'commit the booking, then the record',
      delivered,
      expected: 'booked twice',
      run: async (bench) => {
        await runUntilKilled(bench, crash, 'record-last', eventId);
        await recordLast(bench.database, eventId);
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: 'booking and record in one transaction',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        await runUntilKilled(bench, crash, 'together', eventId);
        await deliver(bench);
        return await bookedByProduct(bench);
      },
    },
  ],
};
