import { callsOf, processBatch, processEvent } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claim,
  claimOne,
  effectsOf,
  emptyInbox,
  failuresOf,
  inboxRow,
  processOptions,
  store,
} from '../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../support/lock-waiters.ts';

/** A COMMIT that books waits for this lock, inside the server: the wire can be cut while it is under way. */
const commitGate = 42;

describe('a COMMIT whose answer never comes', () => {
  let db: TestDatabase;
  let proxy: CuttableProxy;
  let gate: pg.PoolClient;

  beforeAll(async () => {
    db = await createTestDatabase();
    proxy = await startCuttableProxy(db.url);
    await db.database.pool.query(`
      create function wait_at_commit() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${commitGate}); return null; end $$`);
    await db.database.pool.query(`
      create constraint trigger wait_at_commit after insert on outbox deferrable initially deferred
      for each row execute function wait_at_commit()`);
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    gate = await db.database.pool.connect();
    await gate.query('begin');
    await gate.query(`select pg_advisory_xact_lock(${commitGate})`);
  });
  afterAll(async () => {
    await proxy.close();
    await db.drop();
  });

  it('but that the server is still doing is waited for and found done: no failure, no second effect', async () => {
    await store(db.database, 'evt_1');
    const result = attempt(await claimOne(db.database));
    await cutWhileCommitting();
    // The second one reads the row back, and waits for whoever is committing it.
    await waitForLockWaiters(db.database, 2);
    await openGate();
    expect(await result).toEqual({ outcome: 'processed' });
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed', infra_retries: 0, attempts: 1 });
    expect(await failuresOf(db.database, 'evt_1')).toEqual([]);
  });

  it('and that the server gave up is found undone: the event is tried again, at no cost to its attempts', async () => {
    await store(db.database, 'evt_1');
    const result = attempt(await claimOne(db.database));
    await cutWhileCommitting();
    await waitForLockWaiters(db.database, 2);
    await db.database.pool.query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
       where datname = current_database() and wait_event = 'advisory'`,
    );
    expect(await result).toMatchObject({ outcome: 'retried' });
    await openGate();
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending', infra_retries: 1, attempts: 0 });
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([{ class: 'connection' }]);
  });

  it('of a whole batch costs none of its events a second effect or an attempt', async () => {
    const ids = ['a', 'b', 'c'];
    await store(db.database, ...ids);
    const claimed = await claim(db.database, { limit: 3, worker: 'w1', leaseMs: 60_000 });
    const handler = bookingHandler(() => done);
    const results = processBatch(callsOf(claimed.map((one) => ({ claimed: one, handler }))), {
      ...throughProxy(),
      batchMs: 10_000,
    });
    await cutWhileCommitting();
    await openGate();
    expect((await results).map(({ result }) => result.outcome)).not.toContain('retried');
    for (const id of ids) {
      expect(await effectsOf(db.database, id)).toBe(1);
      expect(await inboxRow(db.database, id)).toMatchObject({ state: 'processed', infra_retries: 0, attempts: 1 });
    }
  });

  function attempt(claimed: Parameters<typeof processEvent>[0]) {
    const book: Parameters<typeof processEvent>[1] = async (tx, { eventId }) => {
      await bookEffect(tx, eventId);
      return done;
    };
    return processEvent(claimed, book, throughProxy());
  }

  function throughProxy() {
    return processOptions(db.database, { work: db.open({ url: proxy.url }) });
  }

  async function cutWhileCommitting(): Promise<void> {
    await waitForLockWaiters(db.database, 1);
    proxy.cut();
  }

  async function openGate(): Promise<void> {
    await gate.query('commit');
    gate.release();
  }
});
