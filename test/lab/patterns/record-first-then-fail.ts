import { processEvent } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { recordFirst } from '../../orders/naive-receivers.ts';
import { bookEffect, claimOne, processOptions, store } from '../../support/inbox-fixtures.ts';
import { bookedByProduct, bookedNaively, eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';
import { deliver, deliverAndFail } from '../through-the-product.ts';

const delivered = 'one event, twice: fails at first';

export const recordFirstThenFail: Pattern = {
  name: 'record-first-then-fail',
  title: 'Record first, then fail',
  why: 'The receipt is committed and says "done" of work that then fails, so the redelivery is taken for a duplicate and answered 200. A receipt may come first only if it says "not processed yet", or if it rolls back with the work.',
  rightIn: 'packages/inbox/src/process.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'commit the receipt, then book',
      delivered,
      expected: 'never booked',
      run: async (bench) => {
        await recordFirst(bench.database, eventId, () => Promise.reject(new Error('the ledger is closed')));
        await recordFirst(bench.database, eventId);
        return await bookedNaively(bench);
      },
    },
    {
      kind: 'right',
      does: 'receipt and booking in one transaction',
      delivered,
      expected: 'booked once',
      run: async (bench) => {
        await deliverAndFail(bench);
        await deliver(bench);
        return await bookedByProduct(bench);
      },
    },
    {
      kind: 'right',
      does: 'commit the receipt as unprocessed; a worker tries until it is booked',
      delivered: 'one event, once: fails at first',
      expected: 'booked once',
      run: async (bench) => {
        const { database } = bench;
        await store(database, eventId);
        let attempts = 0;
        for (let round = 0; round < 2; round += 1) {
          await processEvent(
            await claimOne(database),
            async (tx) => {
              await bookEffect(tx, eventId);
              attempts += 1;
              if (attempts === 1) throw new Error('the ledger is closed');
              return done;
            },
            processOptions(database),
          );
        }
        return await bookedByProduct(bench);
      },
    },
  ],
};
