import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import { markThenBook } from '../marked-receivers.ts';
import type { Pattern } from '../pattern.ts';
import { deliver, deliverAndFail } from '../through-the-product.ts';

const delivered = 'one event, twice: fails at first';

export const dynamodbMarkerFirst: Pattern = {
  name: 'dynamodb-marker-first',
  title: 'A marker in DynamoDB, written first',
  why: 'The conditional write is atomic in DynamoDB and says nothing about PostgreSQL: when the work fails the marker stays, and the redelivery is swallowed. Deleting the marker on failure helps until the process dies before it does so.',
  rightIn: 'packages/inbox/src/receive-and-process.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'conditional PutItem, then book in PostgreSQL',
      delivered,
      expected: 'never booked',
      run: async (bench) => {
        const stores = { database: bench.database, client: (await bench.dynamodb()).client };
        const closed = () => Promise.reject(new Error('the ledger is closed'));
        await markThenBook(stores, eventId, { work: closed }).catch(() => undefined);
        await markThenBook(stores, eventId);
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: 'receipt and booking in PostgreSQL, in one transaction',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        await deliverAndFail(bench);
        await deliver(bench);
        return await bookedByProduct(bench);
      },
    },
  ],
};
