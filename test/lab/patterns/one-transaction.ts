import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { delivery } from '../../support/inbox-fixtures.ts';
import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';
import { deliver, deliverAndFail } from '../through-the-product.ts';

const delivered = 'one event, twice: fails after booking';

export const oneTransaction: Pattern = {
  name: 'one-transaction',
  title: 'Inbox and effect in one transaction',
  why: 'What is written in the transaction of the receipt is there if and only if the receipt is. A handler that takes a connection of its own writes what no rollback reaches, however it looks in the code.',
  rightIn: 'packages/inbox/src/process.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'the handler books over a connection of its own',
      delivered,
      expected: 'booked twice',
      run: async (bench) => {
        const { database } = bench;
        let deliveries = 0;
        const handler = {
          provider: 'stripe',
          eventType: 'test.event',
          handle: async () => {
            deliveries += 1;
            await database.pool.query('insert into bookings values ($1)', [eventId]);
            if (deliveries === 1) throw new Error('the ledger is closed');
            return done;
          },
        };
        await receiveAndProcess(database, delivery(eventId), [handler]).catch(() => undefined);
        await receiveAndProcess(database, delivery(eventId), [handler]);
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: "the handler books in the receipt's transaction",
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
