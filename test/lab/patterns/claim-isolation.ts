import type { Bench } from '../bench.ts';
import type { Pattern } from '../pattern.ts';
import { type Isolation, race } from '../race.ts';

const delivered = 'one event, 2 at once';

export const claimIsolation: Pattern = {
  name: 'claim-isolation',
  title: 'Claiming an event id under each isolation level',
  why: 'At READ COMMITTED the second INSERT waits and then sees the row: zero rows, a duplicate. From REPEATABLE READ on its snapshot is older than that row, so PostgreSQL refuses with 40001, which is no failure of the event: the transaction done again sees the duplicate.',
  rightIn: 'packages/db/src/transaction.ts',
  ways: [
    {
      kind: 'right',
      does: 'READ COMMITTED',
      delivered,
      expected: '0 rows',
      run: async (bench) => (await claimAt(bench, 'read committed')).second,
    },
    {
      kind: 'wrong',
      does: 'REPEATABLE READ; 40001 taken for a failure',
      delivered,
      expected: '40001',
      run: async (bench) => (await claimAt(bench, 'repeatable read')).second,
    },
    {
      kind: 'right',
      does: 'REPEATABLE READ; after 40001 once more',
      delivered,
      expected: '40001, then 0 rows',
      run: async (bench) => inOrder(await claimAt(bench, 'repeatable read')),
    },
    {
      kind: 'right',
      does: 'SERIALIZABLE; after 40001 once more',
      delivered,
      expected: '40001, then 0 rows',
      run: async (bench) => inOrder(await claimAt(bench, 'serializable')),
    },
  ],
};

function claimAt(bench: Bench, isolation: Isolation) {
  return race(bench, `insert into seen_events values ('evt_1') on conflict do nothing`, isolation);
}

function inOrder({ second, again }: { readonly second: string; readonly again: string }): string {
  return `${second}, then ${again}`;
}
