import { openDatabase } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { done, type JsonValue } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorker, type WorkerOptions } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  delivery,
  effectsOf,
  emptyInbox,
  failuresOf,
  inboxRow,
  incomingEvent,
  store,
  testReceiver,
} from '../support/inbox-fixtures.ts';
import { effectHandler, workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

describe('worker', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('processes every event once', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `evt_${n}`);
    await store(db.database, ...ids);
    const worker = startWorker(options());
    await waitFor('all events to be processed', async () => (await stateCount('processed')) === 120);
    await worker.drain();
    for (const id of ids) expect(await effectsOf(db.database, id)).toBe(1);
    const { rows } = await db.database.pool.query('select distinct attempts from webhook_inbox');
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  it('loses no lease while a handler runs three times longer than the lease with 50 rows behind it and a pool of two', async () => {
    await store(db.database, ...Array.from({ length: 51 }, (_, n) => `evt_${n}`));
    const work = openDatabase({ ...connection(db.url), maxConnections: 2 });
    const release = Promise.withResolvers<void>();
    let started = 0;
    const slow: Handler = {
      ...effectHandler,
      handle: async (context) => {
        started += 1;
        if (started <= 2) await release.promise;
        return effectHandler.handle(context);
      },
    };
    const leaseMs = 600;
    const worker = startWorker(
      options({ work, handlers: [slow], slots: 2, batchRows: 1, minHeldRows: 51, maxHeldRows: 51, leaseMs }),
    );
    await waitFor('two handlers to block both connections', () => started === 2);
    const claimedUntil = await soonestLease();
    await waitFor('three lease lengths to pass by the clock of the database', async () => {
      const { rows } = await db.database.pool.query<{ passed: boolean }>(
        "select now() > $1::timestamptz + $2 * interval '1 ms' as passed",
        [claimedUntil, 2 * leaseMs],
      );
      return rows[0]?.passed === true;
    });
    // Another worker looks all the while and finds nothing to take.
    const rival = startWorker(options({ name: 'rival' }));
    await waitFor('the leases of the waiting rows to be renewed again', async () => {
      const { rows } = await db.database.pool.query(
        "select 1 from webhook_inbox where leased_until > now() and leased_by = 'w1'",
      );
      return rows.length === 49;
    });
    release.resolve();
    await waitFor('all events to be processed', async () => (await stateCount('processed')) === 51);
    await Promise.all([worker.drain(), rival.drain()]);
    await work.close();
    const { rows } = await db.database.pool.query('select distinct attempts, total_attempts from webhook_inbox');
    expect(rows).toEqual([{ attempts: 1, total_attempts: 1 }]);
    const failures = await db.database.kysely.selectFrom('inbox_failures').selectAll().execute();
    expect(failures).toEqual([]);
    const effects = await db.database.kysely.selectFrom('outbox').select('aggregate').distinct().execute();
    expect(effects).toHaveLength(51);
  });

  it('parks a type without a handler, and a worker that has one takes it up when it starts', async () => {
    await store(db.database, 'evt_1');
    const old = startWorker(options({ handlers: [] }));
    await waitFor('the event to be parked', async () => (await inboxRow(db.database, 'evt_1')).state === 'parked');
    await old.drain();
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 0 });
    const current = startWorker(options());
    await waitFor(
      'the event to be processed',
      async () => (await inboxRow(db.database, 'evt_1')).state === 'processed',
    );
    await current.drain();
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('gives back what it has not begun when it drains, and finishes what it has', async () => {
    await store(db.database, ...Array.from({ length: 6 }, (_, n) => `evt_${n}`));
    const release = Promise.withResolvers<void>();
    let started = 0;
    const blocked: Handler = {
      ...effectHandler,
      handle: async (context) => {
        started += 1;
        await release.promise;
        return effectHandler.handle(context);
      },
    };
    const worker = startWorker(
      options({ handlers: [blocked], slots: 2, batchRows: 1, minHeldRows: 6, maxHeldRows: 6 }),
    );
    await waitFor('two handlers to begin', () => started === 2);
    const draining = worker.drain();
    await waitFor('the four others to be returned', async () => {
      const { rows } = await db.database.pool.query(
        "select 1 from webhook_inbox where state = 'pending' and lease_token is null and attempts = 0",
      );
      return rows.length === 4;
    });
    release.resolve();
    await draining;
    expect([await stateCount('processed'), await stateCount('pending')]).toEqual([2, 4]);
    expect(started).toBe(2);
  });

  it('hands the handler the item of a batch, with integers beyond 2^53 exact', async () => {
    const seen: JsonValue[] = [];
    const look: Handler = {
      ...effectHandler,
      handle: ({ payload }) => {
        seen.push(payload);
        return Promise.resolve(done);
      },
    };
    const body = Buffer.from('{"items":[{"token":"a"},{"token":"b","amount":9007199254740993}]}');
    const events = [incomingEvent('b', { itemPath: ['items', '1'] })];
    const receiver = testReceiver(db.database);
    await receiver.receive(delivery('b', { body, events }));
    await receiver.close();
    const worker = startWorker(options({ handlers: [look] }));
    await waitFor('the item to be processed', async () => (await stateCount('processed')) === 1);
    await worker.drain();
    expect(seen).toEqual([{ token: 'b', amount: 9007199254740993n }]);
  });

  it('buries an event whose body cannot be read and says why', async () => {
    const receiver = testReceiver(db.database);
    await receiver.receive(delivery('broken', { body: Buffer.from('{') }));
    await receiver.receive(delivery('gone'));
    await receiver.close();
    await db.database.pool.query(
      "delete from webhook_delivery using webhook_inbox i where i.delivery_id = webhook_delivery.delivery_id and i.event_id = 'gone'",
    );
    const worker = startWorker(options());
    await waitFor('both to be rejected', async () => (await stateCount('rejected')) === 2);
    await worker.drain();
    expect((await inboxRow(db.database, 'broken')).state_reason).toContain('not JSON');
    expect((await failuresOf(db.database, 'gone'))[0]?.message).toContain('body_expired');
  });

  function options(differing: Partial<WorkerOptions> = {}): WorkerOptions {
    return workerOptions(db.database, differing);
  }

  function connection(url: string) {
    return { url, applicationName: 'test', connectTimeoutMs: 5_000, queryTimeoutMs: 0, onIdleError: () => {} };
  }

  async function stateCount(state: string): Promise<number> {
    const { rows } = await db.database.pool.query('select 1 from webhook_inbox where state = $1', [state]);
    return rows.length;
  }

  async function soonestLease(): Promise<Date> {
    const { rows } = await db.database.pool.query<{ until: Date }>(
      'select min(leased_until) as until from webhook_inbox',
    );
    return rows[0]?.until ?? new Date();
  }
});
