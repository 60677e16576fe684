import { claim, expireLeases, inboxRow, store } from '../../support/inbox-fixtures.ts';
import { eventId } from '../booked.ts';
import type { Pattern } from '../pattern.ts';
import { runUntilKilled } from '../run-until-killed.ts';

const killer = 'test/lab/process-killer.ts';
const crashes = 3;
const delivered = 'one event that kills its process, 3 times';

export const oneTransactionClaim: Pattern = {
  name: 'one-transaction-claim',
  title: 'Claim and process in one transaction',
  why: 'The attempt is counted in the transaction that the crash rolls back, so an event that kills its process is at attempt one for ever and takes a worker with it each time. Counted and committed before the work, the attempts reach their limit, and the event is buried for a person to look at.',
  rightIn: 'packages/inbox/src/sql/claim.ts',
  ways: [
    {
      kind: 'wrong',
      does: 'BEGIN, claim, attempts + 1, work, COMMIT',
      delivered,
      expected: '3 crashes, 0 attempts',
      run: async (bench) => {
        const { pool } = bench.database;
        await pool.query('create table jobs (event_id text primary key, attempts integer not null default 0)');
        await pool.query('insert into jobs values ($1)', [eventId]);
        let attempts: number | undefined;
        for (let crash = 0; crash < crashes; crash += 1) {
          await runUntilKilled(bench, killer, 'one-transaction');
          // Waits until the server has rolled the dead one's transaction back.
          const { rows } = await pool.query<{ attempts: number }>('select attempts from jobs for update');
          attempts = rows[0]?.attempts;
        }
        return `${crashes} crashes, ${attempts} attempts`;
      },
    },
    {
      kind: 'right',
      does: 'claim, attempts + 1, COMMIT; then work in a second transaction',
      delivered,
      expected: '3 attempts, exhausted',
      run: async (bench) => {
        const { database } = bench;
        await store(database, eventId);
        for (let crash = 0; crash < crashes; crash += 1) {
          await runUntilKilled(bench, killer, 'claimed-before');
          await expireLeases(database);
        }
        await claim(database, { limit: 10, worker: 'lab', leaseMs: 60_000 });
        const { attempts, state } = await inboxRow(database, eventId);
        return `${attempts} attempts, ${state}`;
      },
    },
  ],
};
