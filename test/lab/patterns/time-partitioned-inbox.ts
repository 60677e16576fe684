import { bookedByProduct, eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';
import { answerTo } from '../session.ts';
import { deliver } from '../through-the-product.ts';

const partitioned = 'partition by range (received_on)';

export const timePartitionedInbox: Pattern = {
  name: 'time-partitioned-inbox',
  title: 'An inbox partitioned by time',
  why: 'A unique key of a partitioned table must hold the partition key, so the same event on another day has another key and is no duplicate; PostgreSQL refuses the key that would be needed with 0A000. The bodies may be dropped by the day, but the narrow ledger of ids stays one table.',
  rightIn: 'migrations/0001_inbox.sql',
  ways: [
    {
      kind: 'wrong',
      does: 'a partition a day, key (event_id, received_on)',
      delivered: 'one event, twice, a day apart',
      expected: '1 row, then 1 row',
      run: async ({ database: { pool } }) => {
        await pool.query(
          `create table inbox (event_id text, received_on date, primary key (event_id, received_on)) ${partitioned}`,
        );
        await pool.query(`create table inbox_1 partition of inbox for values from ('2026-01-01') to ('2026-01-02')`);
        await pool.query(`create table inbox_2 partition of inbox for values from ('2026-01-02') to ('2026-01-03')`);
        const receive = (day: string) =>
          answerTo(pool.query('insert into inbox values ($1, $2) on conflict do nothing', [eventId, day]));
        return `${await receive('2026-01-01')}, then ${await receive('2026-01-02')}`;
      },
    },
    {
      kind: 'wrong',
      does: 'a partition a day, key (event_id)',
      delivered: 'nothing: the table is refused',
      expected: '0A000',
      run: ({ database: { pool } }) =>
        answerTo(pool.query(`create table inbox (event_id text primary key, received_on date) ${partitioned}`)),
    },
    {
      kind: 'right',
      does: 'ledger that is not partitioned',
      delivered: 'one event, twice, a day apart',
      expected: 'booked once',
      run: async (bench) => {
        await deliver(bench);
        await bench.database.pool.query(`update webhook_inbox set received_at = received_at - interval '1 day'`);
        await deliver(bench);
        return await bookedByProduct(bench);
      },
    },
  ],
};
