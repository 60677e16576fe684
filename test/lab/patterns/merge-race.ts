import type { Pattern } from '../pattern.ts';
import { race } from '../race.ts';

const delivered = 'one event, 2 at once';

export const mergeRace: Pattern = {
  name: 'merge-race',
  title: 'MERGE on a key that is not there',
  why: 'MERGE looks for the row in its snapshot and does not look again, so the second of two that find nothing inserts as well and is refused with 23505. INSERT ON CONFLICT waits for the other transaction and then decides by what it committed.',
  rightIn: 'packages/inbox/src/sql/insert-receipts.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'MERGE ... WHEN NOT MATCHED THEN INSERT',
      delivered,
      expected: 'second: 23505',
      run: async (bench) => {
        const merge = `merge into seen_events s using (values ('evt_1')) as n (event_id) on s.event_id = n.event_id
          when not matched then insert values (n.event_id)`;
        return `second: ${(await race(bench, merge)).second}`;
      },
    },
    {
      kind: 'right',
      does: 'INSERT ... ON CONFLICT DO NOTHING',
      delivered,
      expected: 'second: 0 rows',
      run: async (bench) => {
        const insert = `insert into seen_events values ('evt_1') on conflict do nothing`;
        return `second: ${(await race(bench, insert)).second}`;
      },
    },
  ],
};
