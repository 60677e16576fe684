import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import { bookThenMark } from '../marked-receivers.ts';
import type { Pattern } from '../pattern.ts';
import { runUntilKilled } from '../run-until-killed.ts';
import { deliver } from '../through-the-product.ts';

const delivered = 'one event, twice: SIGKILL after booking';

export const dynamodbMarkerLast: Pattern = {
  name: 'dynamodb-marker-last',
  title: 'A marker in DynamoDB, written last',
  why: 'The booking is committed in PostgreSQL before DynamoDB hears of it, and a process that dies in between leaves a booking without a marker. No order of two commits in two stores closes that gap; one commit in one store has none.',
  rightIn: 'packages/inbox/src/receive-and-process.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'book in PostgreSQL, then PutItem',
      delivered,
      expected: 'booked twice',
      run: async (bench) => {
        const { client, endpoint } = await bench.dynamodb();
        await runUntilKilled(bench, 'test/lab/process-killer.ts', 'marker-last', endpoint);
        await bookThenMark({ database: bench.database, client }, eventId);
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: 'receipt and booking in PostgreSQL, in one transaction',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        await runUntilKilled(bench, 'test/orders/crash-in-the-middle.ts', 'together', eventId);
        await deliver(bench);
        return await bookedByProduct(bench);
      },
    },
  ],
};
