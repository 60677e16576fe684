import type { Bench } from '../bench.ts';
import type { Pattern } from '../pattern.ts';
import { createPrices, pricesKept } from '../prices-table.ts';

const delivered = 'version 2, then 1';
const upsert = `insert into prices values ('tea', $1, $2)
  on conflict (product) do update set price = excluded.price, version = excluded.version`;

export const blindUpsert: Pattern = {
  name: 'blind-upsert',
  title: 'A blind upsert of snapshots',
  why: 'Providers promise no order, and a retry carries the old snapshot hours after the new one, so whoever writes last wins by accident. With a guard on the version the older snapshot meets a condition that is false and writes nothing.',
  rightIn: 'packages/domain/src/snapshot-table.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'ON CONFLICT DO UPDATE',
      delivered,
      expected: 'version 1',
      run: (bench) => newThenOld(bench, upsert),
    },
    {
      kind: 'right',
      does: 'ON CONFLICT DO UPDATE WHERE the version is newer',
      delivered,
      expected: 'version 2',
      run: (bench) => newThenOld(bench, `${upsert} where excluded.version > prices.version`),
    },
  ],
};

async function newThenOld(bench: Bench, statement: string): Promise<string> {
  await createPrices(bench);
  await bench.database.pool.query(statement, [120, 2]);
  await bench.database.pool.query(statement, [100, 1]);
  return await pricesKept(bench);
}
