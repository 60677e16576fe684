import type { Bench } from '../bench.ts';
import type { Pattern } from '../pattern.ts';

// Two events with ids of their own, so no inbox takes one for a duplicate of the other.
const snapshots = [
  { version: 1, total: 100 },
  { version: 2, total: 150 },
];
const delivered = 'snapshots: total 100, then total 150';

export const snapshotAsDelta: Pattern = {
  name: 'snapshot-as-delta',
  title: 'A snapshot treated as a delta',
  why: 'An event that shows the whole object says what is, not what was added, so adding its amounts counts the same money once an event. A snapshot replaces, under a version guard; only a fact with an id of its own is added, once per id.',
  rightIn: 'packages/domain/src/shopify/apply-order.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'total = total + what the event shows',
      delivered,
      expected: 'total 250',
      run: (bench) => apply(bench, 'totals.total + excluded.total'),
    },
    {
      kind: 'right',
      does: 'total = what the newest event shows',
      delivered,
      expected: 'total 150',
      run: (bench) => apply(bench, 'excluded.total'),
    },
  ],
};

async function apply({ database: { pool } }: Bench, total: string): Promise<string> {
  await pool.query('create table totals (order_id text primary key, total integer not null, version integer not null)');
  for (const snapshot of snapshots) {
    await pool.query(
      `insert into totals values ('order_1', $1, $2) on conflict (order_id) do update
       set total = ${total}, version = excluded.version where excluded.version > totals.version`,
      [snapshot.total, snapshot.version],
    );
  }
  const { rows } = await pool.query<{ total: number }>('select total from totals');
  return `total ${rows[0]?.total}`;
}
