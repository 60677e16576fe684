import type { Tx } from '@mailroom/db';
import { callsOf, processBatch, processEvent } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  claim,
  claimOne,
  effectsOf,
  emptyInbox,
  failuresOf,
  inboxRow,
  processOptions,
  store,
} from '../support/inbox-fixtures.ts';

describe("a handler's own error", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no room for failures'; end $$`);
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('is what is recorded when the rollback fails too, for its session is gone', async () => {
    await store(db.database, 'evt_1');
    const result = await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await terminateBackendOf(tx);
        throw new Error('the ledger is closed');
      },
      processOptions(db.database),
    );
    expect(result).toMatchObject({ outcome: 'retried', error: { message: 'the ledger is closed' } });
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([
      { class: 'handler', message: 'the ledger is closed', stack: expect.stringContaining('own-error.test.ts') },
    ]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 1, last_error: 'the ledger is closed' });
  });

  it('is what is recorded when the wire to the database was cut', async () => {
    await store(db.database, 'evt_1');
    const proxy = await startCuttableProxy(db.url);
    await processEvent(
      await claimOne(db.database),
      () => {
        proxy.cut();
        throw new Error('the ledger is closed');
      },
      processOptions(db.database, { work: db.open({ url: proxy.url }) }),
    );
    await proxy.close();
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([
      { class: 'handler', message: 'the ledger is closed' },
    ]);
  });

  it('keeps its own words, and tells the database by its cause', async () => {
    await store(db.database, 'evt_1');
    await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await sql`select 1 / 0`.execute(tx).catch((cause: unknown) => {
          throw new Error('the share cannot be computed', { cause });
        });
        return done;
      },
      processOptions(db.database),
    );
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([
      { class: 'data', sqlstate: '22012', message: 'the share cannot be computed' },
    ]);
  });

  it('keeps its own words when a broken connection is its cause, which costs no attempt', async () => {
    await store(db.database, 'evt_1');
    await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx).catch((cause: unknown) => {
          throw new Error('could not book', { cause });
        });
        return done;
      },
      processOptions(db.database),
    );
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([{ class: 'shutdown', message: 'could not book' }]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 0, infra_retries: 1 });
  });

  it('reaches the caller beside the error of a failure record that fails', async () => {
    await store(db.database, 'evt_1');
    await withoutRoomForFailures(async () => {
      const attempt = processEvent(
        await claimOne(db.database),
        () => Promise.reject(new Error('the ledger is closed')),
        processOptions(db.database),
      );
      await expect(attempt).rejects.toMatchObject({
        code: 'attempt_not_recorded',
        message: 'the end of the attempt could not be recorded: the ledger is closed',
        cause: { message: 'no room for failures' },
      });
    });
  });

  it('that cannot be recorded is the trouble of its event alone, not of its neighbours in the batch', async () => {
    await store(db.database, 'a', 'bad', 'z');
    const claimed = await claim(db.database, { limit: 3, worker: 'w1', leaseMs: 60_000 });
    const handler = bookingHandler(({ event }) => {
      if (event.eventId === 'bad') throw new Error('the ledger is closed');
      return done;
    });
    await withoutRoomForFailures(async () => {
      const calls = callsOf(claimed.map((one) => ({ claimed: one, handler })));
      const attempt = processBatch(calls, { ...processOptions(db.database), batchMs: 10_000 });
      await expect(attempt).resolves.toHaveLength(3);
      const results = await attempt;
      const ends = new Map(results.map((one) => [one.claimed.eventId, one.result]));
      expect(ends.get('a')).toEqual({ outcome: 'processed' });
      expect(ends.get('z')).toEqual({ outcome: 'processed' });
      expect(ends.get('bad')).toMatchObject({
        outcome: 'not_recorded',
        error: { message: expect.stringContaining('the ledger is closed') },
      });
    });
    expect([await effectsOf(db.database, 'a'), await effectsOf(db.database, 'bad')]).toEqual([1, 0]);
  });

  async function withoutRoomForFailures(work: () => Promise<void>): Promise<void> {
    await db.database.pool.query(
      'create trigger refuse before insert on inbox_failures for each row execute function refuse()',
    );
    try {
      await work();
    } finally {
      await db.database.pool.query('drop trigger refuse on inbox_failures');
    }
  }

  async function terminateBackendOf(tx: Tx): Promise<void> {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    // With a timeout the function waits until the session is gone.
    await db.database.pool.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
  }
});
