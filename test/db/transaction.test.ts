import { inTransaction, sqlstateOf } from '@mailroom/db';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('inTransaction', () => {
  let db: TestDatabase;
  const notes = async () =>
    (await db.database.pool.query<{ note: string }>('select note from notes')).rows.map(({ note }) => note);
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query(
      'create table notes (note text constraint notes_once unique deferrable initially deferred)',
    );
  });
  beforeEach(() => db.database.pool.query('delete from notes'));
  afterAll(() => db.drop());

  it('commits what the work wrote and gives what it returned', async () => {
    const result = await inTransaction(db.database, async (tx) => {
      await sql`insert into notes values ('kept')`.execute(tx);
      return 42;
    });
    expect(result).toBe(42);
    expect(await notes()).toEqual(['kept']);
  });

  it('rolls back when the work throws, and the error reaches the caller as itself', async () => {
    const thrown = { not: 'even an Error' };
    const attempt = inTransaction(db.database, async (tx) => {
      await sql`insert into notes values ('lost')`.execute(tx);
      // eslint-disable-next-line typescript/only-throw-error -- handlers are other people's code and throw anything
      throw thrown;
    });
    await expect(attempt).rejects.toBe(thrown);
    expect(await notes()).toEqual([]);
  });

  it("keeps the work's own error when the rollback fails too: the session was terminated", async () => {
    const own = new Error('the handler itself failed');
    const attempt = inTransaction(db.database, async (tx) => {
      await terminateBackendOf(tx);
      throw own;
    });
    await expect(attempt).rejects.toBe(own);
    // The pool has thrown the dead connection away.
    await inTransaction(db.database, (tx) => sql`insert into notes values ('next')`.execute(tx));
    expect(await notes()).toEqual(['next']);
  });

  it("keeps the work's own error when the rollback fails too: the wire was cut", async () => {
    const proxy = await startCuttableProxy(db.url);
    const database = db.open({ url: proxy.url, maxConnections: 1 });
    const own = new Error('the handler itself failed');
    const attempt = inTransaction(database, async (tx) => {
      await sql`insert into notes values ('lost')`.execute(tx);
      proxy.cut();
      throw own;
    });
    await expect(attempt).rejects.toBe(own);
    await inTransaction(database, (tx) => sql`insert into notes values ('next')`.execute(tx));
    expect(await notes()).toEqual(['next']);
    await database.close();
    await proxy.close();
  });

  it('does not commit when the work swallowed an SQL error, and says so', async () => {
    const attempt = inTransaction(db.database, async (tx) => {
      await sql`insert into notes values ('lost')`.execute(tx);
      await sql`select 1 / 0`.execute(tx).catch(() => undefined);
      return 'looks fine';
    });
    await expect(attempt).rejects.toBeInstanceOf(Error);
    expect(await notes()).toEqual([]);
  });

  it('shows the error of a COMMIT that fails, and nothing is committed', async () => {
    const attempt = inTransaction(db.database, (tx) => sql`insert into notes values ('twice'), ('twice')`.execute(tx));
    await expect(attempt).rejects.toMatchObject({ code: '23505', constraint: 'notes_once' });
    expect(await notes()).toEqual([]);
  });

  it('says that the outcome is unknown when the wire is cut while COMMIT is on it', async () => {
    const proxy = await startCuttableProxy(db.url);
    const database = db.open({ url: proxy.url, maxConnections: 1 });
    const attempt = inTransaction(database, async (tx) => {
      await sql`insert into notes values ('who knows')`.execute(tx);
      // COMMIT is sent after this returns, and never answered.
      proxy.stall();
      setImmediate(proxy.cut);
    });
    await expect(attempt).rejects.toMatchObject({ code: 'commit_outcome_unknown' });
    await proxy.pass();
    await database.close();
    await proxy.close();
  });

  it('tells why the server ended the session while the work did something else', async () => {
    const attempt = inTransaction(db.database, async (tx) => {
      await terminateBackendOf(tx);
      await sql`select 1`.execute(tx);
    });
    const error = await attempt.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(sqlstateOf(error)).toBe('57P01');
  });

  it('gives every connection back, whatever happened', async () => {
    const database = db.open({ maxConnections: 1, connectTimeoutMs: 2_000 });
    const failing = [
      () => inTransaction(database, () => Promise.reject(new Error('the work failed'))),
      () => inTransaction(database, (tx) => sql`select 1 / 0`.execute(tx)),
      () => inTransaction(database, terminateBackendOf),
      () => inTransaction(database, (tx) => sql`select 1 / 0`.execute(tx).catch(() => undefined)),
    ];
    for (const attempt of failing) await expect(attempt()).rejects.toBeInstanceOf(Error);
    expect(await inTransaction(database, () => Promise.resolve('still works'))).toBe('still works');
    await database.close();
  });

  async function terminateBackendOf(tx: Parameters<Parameters<typeof inTransaction>[1]>[0]): Promise<void> {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    // With a timeout the function waits until the session is gone.
    await db.database.pool.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
  }
});
