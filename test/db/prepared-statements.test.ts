import { type Database, inTransaction, planAnew, queryPrepared, sqlstateOf } from '@mailroom/db';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { store } from '../support/inbox-fixtures.ts';
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

let db: TestDatabase;
let lost: unknown[];
const opened: Database[] = [];
beforeAll(async () => {
  db = await createTestDatabase();
});
const closeAll = () => Promise.all(opened.splice(0).map((database) => database.close()));
afterEach(closeAll);
afterAll(() => db.drop());

function open(differing: { readonly url?: string; readonly maxConnections?: number } = {}): Database {
  lost = [];
  const database = db.open({
    maxConnections: 1,
    ...differing,
    prepare: true,
    onPreparedLost: (error) => lost.push(error),
  });
  opened.push(database);
  return database;
}

describe('prepared statements', () => {
  it('has a statement prepared once a connection from its fifth use on, be it through Kysely or the pool', async () => {
    const database = open();
    for (let n = 0; n < 8; n += 1) {
      await inTransaction(database, (tx) => sql`select ${n}::int + 1`.execute(tx));
      const { rows } = await queryPrepared<{ n: number }>(database, 'select $1::int - 1 as n', [n]);
      expect(rows).toEqual([{ n: n - 1 }]);
    }
    expect(await preparedOn(database)).toEqual(['select $1::int + 1', 'select $1::int - 1 as n']);
  });

  it('leaves texts alone that are built anew each time, and those that ask to be planned anew', async () => {
    const database = open();
    for (let n = 0; n < 20; n += 1) {
      await queryPrepared(database, `select $1::int + ${n}`, [n]);
      await queryPrepared(database, `${planAnew} select $1::int`, [n]);
    }
    expect(await preparedOn(database)).toEqual([]);
  });

  it('sends a name only when the server knows it: a first one that comes too late, in a failed transaction, harms no second', async () => {
    const database = open();
    const wanted = (n: number) => sql`select ${n}::int * 2`;
    for (let n = 0; n < 4; n += 1) await inTransaction(database, (tx) => wanted(n).execute(tx));
    const ends: (string | null)[] = [];
    const failed = inTransaction(database, async (tx) => {
      const sent = [sql`select 1 / ${0}::int`, wanted(4), wanted(5), wanted(6)].map((query) => query.execute(tx));
      for (const end of await Promise.allSettled(sent))
        if (end.status === 'rejected') ends.push(sqlstateOf(end.reason));
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(ends).toEqual(['22012', '25P02', '25P02', '25P02']);
    await inTransaction(database, async (tx) => {
      await Promise.all([wanted(7), wanted(8)].map((query) => query.execute(tx)));
    });
    expect(lost).toEqual([]);
  });

  it('sends a statement outside a transaction again when the server has lost it, and prepares nothing more', async () => {
    const database = open();
    const ask = () => queryPrepared<{ n: number }>(database, 'select $1::int as n', [1]);
    for (let n = 0; n < 6; n += 1) await ask();
    await database.pool.query('deallocate all');
    expect((await ask()).rows).toEqual([{ n: 1 }]);
    expect(lost).toMatchObject([{ code: '26000' }]);
    for (let n = 0; n < 6; n += 1) await ask();
    expect(await preparedOn(database)).toEqual([]);
  });
});

const here = hasPgbouncer();
if (!here) process.stderr.write('skipped: prepared statements behind PgBouncer, which is not installed\n');

describe.skipIf(!here)('prepared statements behind a PgBouncer in transaction mode', () => {
  it('costs no event: each is processed once, prepared or not', async () => {
    const bouncer = await startPgbouncer(db.url, { serverConnections: 3 });
    await store(db.database, ...Array.from({ length: 300 }, (_, n) => `evt_${n}`));
    const work = open({ url: bouncer.url, maxConnections: 4 });
    const worker = startWorker(workerOptions(work, { control: db.database }));
    const count = async (what: string) => {
      const { rows } = await db.database.pool.query<{ n: string }>(`select count(*) as n from ${what}`);
      return Number(rows[0]?.n);
    };
    await waitFor(
      'all events to be processed',
      async () => (await count("webhook_inbox where state = 'processed'")) === 300,
    );
    await worker.drain();
    expect(await count('outbox')).toBe(300);
    expect(await count('webhook_inbox where attempts > 1')).toBe(0);
    // PgBouncer prepares by itself since 1.21; Debian's 12 has 1.18.
    expect(lost.length).toBeLessThanOrEqual(1);
    await closeAll();
    await bouncer.stop();
  });
});

async function preparedOn(database: Database): Promise<string[]> {
  const { rows } = await database.pool.query<{ statement: string }>(
    'select statement from pg_prepared_statements order by statement',
  );
  return rows.map(({ statement }) => statement);
}
