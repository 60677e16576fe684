import type { Pattern } from '../pattern.ts';
import { createPrices, pricesKept } from '../prices-table.ts';
import { answerTo } from '../session.ts';

const delivered = 'one batch: versions 1 and 2 of one product';
const batch = `(values ('tea', 100, 1), ('tea', 120, 2)) as given (product, price, version)`;
const guarded = `on conflict (product) do update set price = excluded.price, version = excluded.version
  where excluded.version > prices.version`;

export const doUpdateTwice: Pattern = {
  name: 'do-update-twice',
  title: 'DO UPDATE that meets one key twice in a statement',
  why: 'ON CONFLICT DO UPDATE changes no row twice in one statement, so a batch that holds a key twice is refused whole with 21000 ("cannot affect row a second time"). The statement has to keep the newest of each key before it inserts.',
  rightIn: 'packages/domain/src/snapshot-table.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'INSERT the whole batch ... DO UPDATE',
      delivered,
      expected: '21000',
      run: async (bench) => {
        await createPrices(bench);
        return await answerTo(bench.database.pool.query(`insert into prices select * from ${batch} ${guarded}`));
      },
    },
    {
      kind: 'right',
      does: 'DISTINCT ON the key, newest first, then DO UPDATE',
      delivered,
      expected: 'version 2',
      run: async (bench) => {
        await createPrices(bench);
        const newest = `select distinct on (product) * from ${batch} order by product, version desc`;
        await bench.database.pool.query(`insert into prices ${newest} ${guarded}`);
        return await pricesKept(bench);
      },
    },
  ],
};
