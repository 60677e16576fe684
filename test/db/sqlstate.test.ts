import { classifyDatabaseError, type Database, type DatabaseErrorClass, sqlstateOf } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

describe('classifyDatabaseError', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query('create table counted (id integer primary key, n integer not null)');
    await db.database.pool.query('insert into counted values (1, 0), (2, 0)');
  });
  afterAll(() => db.drop());

  it.each<[string, string, DatabaseErrorClass]>([
    ['insert into counted values (1, 0)', '23505', 'unique'],
    ['insert into counted values (3, null)', '23502', 'constraint'],
    ["select 'x'::integer", '22P02', 'data'],
    ['select 1 / 0', '22012', 'data'],
    ['select * from nowhere', '42P01', 'other'],
    ["set local statement_timeout = '50ms'; select pg_sleep(60)", '57014', 'statement_timeout'],
    ['set local role pg_monitor; select * from counted', '42501', 'permission'],
  ])('%s is %s: %s', async (statement, state, errorClass) => {
    const error = await failureOf(() => inSession(db.database, (query) => query(`begin; ${statement}`)));
    expect(sqlstateOf(error)).toBe(state);
    expect(classifyDatabaseError(error)).toBe(errorClass);
  });

  it('a transaction that took too long', async ({ skip }) => {
    const { rowCount } = await db.database.pool.query("select 1 from pg_settings where name = 'transaction_timeout'");
    skip(rowCount === 0, 'transaction_timeout exists from PostgreSQL 17 on');
    const error = await failureOf(() =>
      inSession(db.database, (query) => query("begin; set local transaction_timeout = '50ms'; select pg_sleep(60)")),
    );
    expect(classifyDatabaseError(error)).toBe('transaction_timeout');
  });

  it('a session that idled in a transaction', async () => {
    const error = await failureOf(() =>
      inSession(db.database, async (query, _pid, ended) => {
        await query("begin; set local idle_in_transaction_session_timeout = '20ms'; select 1");
        // Not until the server has none: a statement that is sent before the reason is read would be told the reason.
        await ended;
        await query('select 1');
      }),
    );
    // The server's own reason came while no statement could receive it (see inTransaction); the statement sees a dead wire.
    expect(classifyDatabaseError(error)).toBe('connection');
  });

  it('a deadlock', async () => {
    const error = await failureOf(() =>
      inSession(db.database, (first) =>
        inSession(db.database, async (second) => {
          await first("begin; set local deadlock_timeout = '20ms'; update counted set n = n + 1 where id = 1");
          await second("begin; set local deadlock_timeout = '20ms'; update counted set n = n + 1 where id = 2");
          await Promise.all([
            first('update counted set n = n + 1 where id = 2'),
            second('update counted set n = n + 1 where id = 1'),
          ]);
        }),
      ),
    );
    expect(classifyDatabaseError(error)).toBe('deadlock');
  });

  it('a serialization failure', async () => {
    const error = await failureOf(() =>
      inSession(db.database, async (query) => {
        await query('begin isolation level repeatable read; select * from counted');
        await db.database.pool.query('update counted set n = n + 1 where id = 1');
        await query('update counted set n = n + 1 where id = 1');
      }),
    );
    expect(classifyDatabaseError(error)).toBe('serialization');
  });

  it('a lock timeout', async () => {
    const error = await failureOf(() =>
      inSession(db.database, async (holder) => {
        await holder('begin; select * from counted where id = 1 for update');
        await inSession(db.database, (waiter) =>
          waiter("begin; set local lock_timeout = '20ms'; select * from counted where id = 1 for update"),
        );
      }),
    );
    expect(classifyDatabaseError(error)).toBe('lock_timeout');
  });

  it('a session that an administrator ended while it worked', async () => {
    const error = await failureOf(() =>
      inSession(db.database, async (query, pid) => {
        const sleeping = query('select pg_sleep(60)');
        const waited = waitFor('the session to sleep', async () => {
          const { rowCount } = await db.database.pool.query(
            "select 1 from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'",
            [pid],
          );
          return rowCount === 1;
        }).then(() => db.database.pool.query('select pg_terminate_backend($1)', [pid]));
        await Promise.all([sleeping, waited]);
      }),
    );
    expect(sqlstateOf(error)).toBe('57P01');
    expect(classifyDatabaseError(error)).toBe('shutdown');
  });

  it('nobody listens there', async () => {
    const proxy = await startCuttableProxy(db.url);
    await proxy.refuse();
    const database = db.open({ url: proxy.url });
    const error = await failureOf(() => database.pool.query('select 1'));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(sqlstateOf(error)).toBeNull();
    expect(classifyDatabaseError(error)).toBe('connection');
    await proxy.close();
  });

  it('the wire is cut in the middle of a statement', async () => {
    const proxy = await startCuttableProxy(db.url);
    const database = db.open({ url: proxy.url });
    const sleeping = failureOf(() => database.pool.query('select pg_sleep(60)'));
    await waitFor('the statement to run', async () => {
      const { rowCount } = await db.database.pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
      );
      return rowCount === 1;
    });
    proxy.cut();
    expect(classifyDatabaseError(await sleeping)).toBe('connection');
    await proxy.close();
  });

  it('the server accepts and then says nothing', async () => {
    const proxy = await startCuttableProxy(db.url);
    proxy.stall();
    const database = db.open({ url: proxy.url, connectTimeoutMs: 100 });
    expect(classifyDatabaseError(await failureOf(() => database.pool.query('select 1')))).toBe('connection');
    await proxy.close();
  });

  it('an answer does not come within the client timeout', async () => {
    const proxy = await startCuttableProxy(db.url);
    const database = db.open({ url: proxy.url, queryTimeoutMs: 100, maxConnections: 1 });
    await database.pool.query('select 1');
    proxy.stall();
    expect(classifyDatabaseError(await failureOf(() => database.pool.query('select 1')))).toBe('connection');
    await proxy.close();
  });

  it('the pool has no connection left in time', async () => {
    const database = db.open({ maxConnections: 1, connectTimeoutMs: 100 });
    const error = await inSession(database, () => failureOf(() => database.pool.query('select 1')));
    expect(classifyDatabaseError(error)).toBe('connection');
  });

  it('looks at the causes of an error, and calls what is not from the database null', async () => {
    const cause = await failureOf(() => db.database.pool.query('insert into counted values (1, 0)'));
    const wrapped = new Error('booking failed', { cause: new CodedError('booking_failed', 'no', { cause }) });
    expect(classifyDatabaseError(wrapped)).toBe('unique');
    expect(classifyDatabaseError(new Error('Connection'))).toBeNull();
    expect(classifyDatabaseError('23505')).toBeNull();
    expect(classifyDatabaseError(null)).toBeNull();
    const circular = new Error('circular');
    circular.cause = circular;
    expect(classifyDatabaseError(circular)).toBeNull();
  });
});

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

/** A connection of its own, thrown away afterwards whatever state it is in. */
async function inSession<T>(
  database: Database,
  work: (query: (statement: string) => Promise<unknown>, pid: number, ended: Promise<unknown>) => Promise<T>,
): Promise<T> {
  const client = await database.pool.connect();
  client.on('error', () => undefined);
  const ended = new Promise((resolve) => client.once('end', resolve));
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return await work((statement) => client.query(statement), rows[0]?.pid ?? 0, ended);
  } finally {
    client.release(true);
  }
}
