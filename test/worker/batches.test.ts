import type { Handler } from '@mailroom/domain';
import { done, type HandlerOutcome, reject } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorker, type WorkerOptions } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  delivery,
  emptyInbox,
  failuresOf,
  incomingEvent,
  testReceiver,
} from '../support/inbox-fixtures.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

type Handle = Handler['handle'];

/** Every way in which a batch may run its events. */
const modes: Readonly<Record<string, (handle: Handle) => Handler>> = {
  'one after another': (handle) => ({ ...testType, handle }),
  interleaved: (handle) => ({ ...testType, handle, ownRowsOnly: true }),
  'as a set': (handle) => ({ ...testType, handle, handleMany: (contexts) => inTurn(contexts, handle) }),
};
const testType = { provider: 'stripe', eventType: 'test.event' };

describe.each(Object.entries(modes))('a batch, its events %s', (_mode, handlerOf) => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query('create table counters (name text primary key, value int not null)');
    await db.database.pool.query('create table marks (mark text unique deferrable initially deferred)');
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    await db.database.pool.query('delete from counters');
    await db.database.pool.query('delete from marks');
  });
  afterAll(() => db.drop());

  it('applies each event once, and shares transactions', async () => {
    await storeEvents(200);
    await workOff(handlerOf(book), 'processed', 200);
    expect(await effects()).toEqual({ rows: 200, events: 200 });
    const { rows } = await db.database.pool.query('select distinct xmin::text from webhook_inbox');
    expect(rows.length).toBeLessThan(100);
  });

  it('lets one failing event fail alone, at the cost of one attempt to itself and none to its neighbours', async () => {
    await storeEvents(100);
    await workOff(
      handlerOf(async (context) => {
        await book(context);
        if (context.event.eventId === 'evt_42') throw new Error('only this one');
        return done;
      }),
      'processed',
      99,
    );
    await waitFor('the failing one to be exhausted', async () => (await count('exhausted')) === 1);
    expect(await effects()).toEqual({ rows: 99, events: 99 });
    const failures = await db.database.kysely.selectFrom('inbox_failures').selectAll().execute();
    expect(new Set(failures.map(({ event_id }) => event_id))).toEqual(new Set(['evt_42']));
    expect((await failuresOf(db.database, 'evt_42'))[0]).toMatchObject({ message: 'only this one', class: 'handler' });
    const { rows } = await db.database.pool.query(
      "select distinct attempts from webhook_inbox where state = 'processed'",
    );
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  it('finds the event whose statement failed, though the transaction fails for all', async () => {
    await storeEvents(60);
    await workOff(
      handlerOf(async (context) => {
        await book(context);
        if (context.event.eventId === 'evt_7') await sql`select 1 / 0`.execute(context.tx);
        await book(context);
        return done;
      }),
      'processed',
      59,
    );
    await waitFor('the failing one to be exhausted', async () => (await count('exhausted')) === 1);
    expect(await effects()).toEqual({ rows: 118, events: 59 });
    expect((await failuresOf(db.database, 'evt_7'))[0]).toMatchObject({ sqlstate: '22012', class: 'data' });
    const failures = await db.database.kysely.selectFrom('inbox_failures').select('event_id').distinct().execute();
    expect(failures).toEqual([{ event_id: 'evt_7' }]);
  });

  it('undoes what a rejecting handler wrote, and nothing else', async () => {
    await storeEvents(40);
    await workOff(
      handlerOf(async (context) => {
        await book(context);
        return context.event.eventId === 'evt_3' ? reject('no', 'never') : done;
      }),
      'processed',
      39,
    );
    await waitFor('the event to be rejected', async () => (await count('rejected')) === 1);
    expect(await effects()).toEqual({ rows: 39, events: 39 });
  });

  it('does each event alone when the commit itself fails', async () => {
    await storeEvents(30);
    await workOff(
      handlerOf(async (context) => {
        await book(context);
        const mark = ['evt_5', 'evt_6'].includes(context.event.eventId) ? 'same' : context.event.eventId;
        await sql`insert into marks values (${mark})`.execute(context.tx);
        return done;
      }),
      'processed',
      29,
    );
    await waitFor('one of the two to be exhausted', async () => (await count('exhausted')) === 1);
    expect(await effects()).toEqual({ rows: 29, events: 29 });
  });

  it('loses no update of a handler that reads, thinks and writes one shared row', async () => {
    await db.database.pool.query("insert into counters values ('shared', 0)");
    // Without an object key nothing is ever interleaved.
    await storeEvents(100, () => null);
    await workOff(
      handlerOf(async ({ tx }) => {
        const { rows } = await sql<{ value: number }>`
          select value from counters where name = 'shared' for update`.execute(tx);
        await sql`update counters set value = ${(rows[0]?.value ?? 0) + 1} where name = 'shared'`.execute(tx);
        return done;
      }),
      'processed',
      100,
    );
    const { rows } = await db.database.pool.query('select value from counters');
    expect(rows).toEqual([{ value: 100 }]);
  });

  it('keeps events of one object in turn, even when the rest is interleaved', async () => {
    await db.database.pool.query("insert into counters select 'object_' || n, 0 from generate_series(0, 4) n");
    await storeEvents(100, (n) => `object_${n % 5}`);
    await workOff(
      handlerOf(async ({ tx, event }) => {
        const { rows } = await sql<{ value: number }>`
          select value from counters where name = ${event.objectKey} for update`.execute(tx);
        await sql`update counters set value = ${(rows[0]?.value ?? 0) + 1} where name = ${event.objectKey}`.execute(tx);
        return done;
      }),
      'processed',
      100,
    );
    const { rows } = await db.database.pool.query('select distinct value from counters');
    expect(rows).toEqual([{ value: 20 }]);
  });

  const book: Handle = async ({ tx, event }) => {
    await bookEffect(tx, event.eventId);
    return done;
  };

  async function storeEvents(
    total: number,
    objectOf: (n: number) => string | null = (n) => `object_${n}`,
  ): Promise<void> {
    const receiver = testReceiver(db.database, { maxAttempts: 2 });
    await Promise.all(
      Array.from({ length: total }, (_, n) =>
        receiver.receive(delivery(`evt_${n}`, { events: [incomingEvent(`evt_${n}`, { objectKey: objectOf(n) })] })),
      ),
    );
    await receiver.close();
  }

  async function workOff(handler: Handler, state: string, rows: number): Promise<void> {
    const workers = [startWorker(options('w1', handler)), startWorker(options('w2', handler))];
    try {
      await waitFor(`${rows} events to be ${state}`, async () => (await count(state)) === rows);
      if (rows < 100) await waitFor('nothing to be pending', async () => (await count('pending')) === 0);
    } finally {
      await Promise.all(workers.map((worker) => worker.drain()));
    }
  }

  async function count(state: string): Promise<number> {
    const { rows } = await db.database.pool.query('select from webhook_inbox where state = $1', [state]);
    return rows.length;
  }

  async function effects(): Promise<{ rows: number; events: number }> {
    const rows = await db.database.kysely.selectFrom('outbox').select('aggregate').execute();
    return { rows: rows.length, events: new Set(rows.map(({ aggregate }) => aggregate)).size };
  }

  function options(name: string, handler: Handler): WorkerOptions {
    return workerOptions(db.database, {
      name,
      slots: 2,
      batchRows: 50,
      batchMs: 1_000,
      minHeldRows: 60,
      maxHeldRows: 60,
      handlers: [handler],
    });
  }
});

async function inTurn(
  contexts: Parameters<NonNullable<Handler['handleMany']>>[0],
  handle: Handle,
): Promise<HandlerOutcome[]> {
  const outcomes: HandlerOutcome[] = [];
  for (const context of contexts) outcomes.push(await handle(context));
  return outcomes;
}
