import { inTransaction } from '@mailroom/db';
import { rearm, receiveAndProcess } from '@mailroom/inbox';
import { done, type HandlerOutcome, ignored, reject, snooze } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claimOne,
  delivery,
  effectsOf,
  emptyInbox,
  failuresOf,
  inboxRow,
  incomingEvent,
} from '../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../support/lock-waiters.ts';

describe('receiveAndProcess', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  const books = bookingHandler(() => done);

  it('commits the receipt, its bytes and the effect together', async () => {
    const body = Buffer.from('{"id":"evt_1","amount":9007199254740993}');
    let payload: unknown;
    const reading = bookingHandler((context) => {
      payload = context.payload;
      expect(context.body.equals(body)).toBe(true);
      return done;
    });
    const results = await receiveAndProcess(db.database, delivery('evt_1', { body }), [reading]);
    expect(results).toEqual([{ eventId: 'evt_1', outcome: 'processed' }]);
    expect(payload).toEqual({ id: 'evt_1', amount: 9007199254740993n });
    const row = await inboxRow(db.database, 'evt_1');
    expect(row).toMatchObject({ state: 'processed', attempts: 1, total_attempts: 1, lease_token: null });
    expect(row.processed_at).toBeInstanceOf(Date);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
    expect(await bodies()).toEqual([body]);
  });

  it('answers a known event as a duplicate without calling its handler', async () => {
    await receiveAndProcess(db.database, delivery('evt_1'), [books]);
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [books])).toEqual([
      { eventId: 'evt_1', outcome: 'duplicate' },
    ]);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('lets any error reach the caller as itself and leaves no receipt, no bytes and no effect', async () => {
    const error = new TypeError('the ledger is closed');
    const failing = bookingHandler(() => {
      throw error;
    });
    await expect(receiveAndProcess(db.database, delivery('evt_1'), [failing])).rejects.toBe(error);
    await expect(
      receiveAndProcess(db.database, delivery('evt_1'), [
        bookingHandler(async ({ tx }) => {
          await sql`select 1 / 0`.execute(tx).catch(() => undefined);
          return done;
        }),
      ]),
    ).rejects.toMatchObject({ code: '25P02' });
    expect(await nothingIsThere()).toBe(true);
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'processed' }]);
  });

  it('joins the transaction of its caller, who decides by its commit', async () => {
    const inside = inTransaction(db.database, async (tx) => {
      expect(await receiveAndProcess(tx, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'processed' }]);
      await bookEffect(tx, 'of the caller');
      throw new Error('the caller thinks better of it');
    });
    await expect(inside).rejects.toThrow('thinks better');
    expect(await nothingIsThere()).toBe(true);

    await inTransaction(db.database, async (tx) => {
      await receiveAndProcess(tx, delivery('evt_1'), [books]);
      await bookEffect(tx, 'of the caller');
      expect(await receiveAndProcess(tx, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'duplicate' }]);
    });
    expect(await effectsOf(db.database, 'of the caller')).toBe(1);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed' });
  });

  it('keeps no receipt where its caller catches the error and commits', async () => {
    const error = new Error('no');
    const failing = bookingHandler(() => {
      throw error;
    });
    await inTransaction(db.database, async (tx) => {
      await bookEffect(tx, 'before');
      await expect(receiveAndProcess(tx, delivery('evt_1'), [failing])).rejects.toBe(error);
      await bookEffect(tx, 'after');
    });
    expect(await inboxRows()).toBe(0);
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);
    expect([await effectsOf(db.database, 'before'), await effectsOf(db.database, 'after')]).toEqual([1, 1]);
  });

  it('leaves the settings of its caller alone', async () => {
    await inTransaction(db.database, async (tx) => {
      await sql`set local lock_timeout = '1234ms'`.execute(tx);
      await receiveAndProcess(tx, delivery('evt_1'), [books]);
      expect((await sql`show lock_timeout`.execute(tx)).rows).toEqual([{ lock_timeout: '1234ms' }]);
    });
  });

  it('finishes an ignored event, buries a rejected one without its writes, and throws for a snoozed one', async () => {
    const answering = (outcome: HandlerOutcome) => [bookingHandler(() => outcome)];
    const inTurn = [
      await receiveAndProcess(db.database, delivery('ignored'), answering(ignored('not ours'))),
      await receiveAndProcess(db.database, delivery('rejected'), answering(reject('bad_amount', 'negative'))),
    ];
    expect(inTurn.flat()).toEqual([
      { eventId: 'ignored', outcome: 'ignored', reason: 'not ours' },
      { eventId: 'rejected', outcome: 'rejected', reason: 'bad_amount: negative' },
    ]);
    expect(await inboxRow(db.database, 'ignored')).toMatchObject({ state: 'ignored', state_reason: 'not ours' });
    const rejected = await inboxRow(db.database, 'rejected');
    expect(rejected).toMatchObject({ state: 'rejected', attempts: 1, last_error: 'bad_amount: negative' });
    expect(await failuresOf(db.database, 'rejected')).toMatchObject([{ class: 'rejected', attempt: 1 }]);
    expect(await effectsOf(db.database, 'rejected')).toBe(0);
    expect(await receiveAndProcess(db.database, delivery('rejected'), [books])).toMatchObject([
      { outcome: 'duplicate' },
    ]);

    await expect(
      receiveAndProcess(db.database, delivery('snoozed'), answering(snooze(60_000, 'early'))),
    ).rejects.toMatchObject({ code: 'event_snoozed' });
    expect(await inboxRows()).toBe(2);
    expect(await effectsOf(db.database, 'snoozed')).toBe(0);
  });

  it('parks an event that no handler here knows, for a worker or a redelivery that finds one', async () => {
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [])).toMatchObject([{ outcome: 'parked' }]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'parked', attempts: 0 });
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [])).toMatchObject([{ outcome: 'duplicate' }]);
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'processed' }]);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);

    await receiveAndProcess(db.database, delivery('evt_2'), []);
    expect(await rearm(db.database, [books], 10)).toBe(1);
    expect((await claimOne(db.database)).eventId).toBe('evt_2');
  });

  it('quarantines what was verified and cannot be read', async () => {
    const events = [incomingEvent('sha256:1', { quarantineReason: 'the body is not JSON' })];
    expect(await receiveAndProcess(db.database, delivery('x', { events }), [books])).toEqual([
      { eventId: 'sha256:1', outcome: 'quarantined', reason: 'the body is not JSON' },
    ]);
    expect(await inboxRow(db.database, 'sha256:1')).toMatchObject({ state: 'quarantined' });
  });

  it('commits the events of a batch together or not at all, objects in order, and hands each its own item', async () => {
    const seen: unknown[] = [];
    const batch = delivery('batch', {
      body: Buffer.from(JSON.stringify({ items: [{ n: 0 }, { n: 1 }, { n: 2 }] })),
      events: ['b', 'a', 'b'].map((objectKey, n) =>
        incomingEvent(`evt_${n}`, { objectKey, itemPath: ['items', String(n)] }),
      ),
    });
    const noting = (failOn: number) =>
      bookingHandler(({ payload }) => {
        seen.push(payload);
        if (seen.length === failOn) throw new Error('no');
        return done;
      });
    await expect(receiveAndProcess(db.database, batch, [noting(3)])).rejects.toThrow('no');
    expect(await nothingIsThere()).toBe(true);

    seen.length = 0;
    const results = await receiveAndProcess(db.database, batch, [noting(0)]);
    expect(seen).toEqual([{ n: 1 }, { n: 0 }, { n: 2 }]);
    expect(results.map(({ eventId, outcome }) => `${eventId} ${outcome}`)).toEqual([
      'evt_0 processed',
      'evt_1 processed',
      'evt_2 processed',
    ]);
  });

  it('lets a second delivery wait for the first and take over when that fails half-way', async () => {
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const failing = bookingHandler(async () => {
      entered.resolve();
      await release.promise;
      throw new Error('half-way');
    });
    const first = receiveAndProcess(db.database, delivery('evt_1'), [failing]);
    await entered.promise;
    const second = receiveAndProcess(db.database, delivery('evt_1'), [books]);
    await waitForLockWaiters(db.database, 1);
    release.resolve();
    await expect(first).rejects.toThrow('half-way');
    expect(await second).toMatchObject([{ outcome: 'processed' }]);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('gives up waiting for another delivery after its lock timeout, and has stored nothing', async () => {
    const release = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const slow = bookingHandler(async () => {
      entered.resolve();
      await release.promise;
      return done;
    });
    const first = receiveAndProcess(db.database, delivery('evt_1'), [slow]);
    await entered.promise;
    await expect(
      receiveAndProcess(db.database, delivery('evt_1'), [books], { lockTimeoutMs: 50 }),
    ).rejects.toMatchObject({ code: '55P03' });
    release.resolve();
    await first;
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  async function inboxRows(): Promise<number> {
    return (await db.database.kysely.selectFrom('webhook_inbox').select('event_id').execute()).length;
  }

  async function bodies(): Promise<readonly Buffer[]> {
    const rows = await db.database.kysely.selectFrom('webhook_delivery').select('body').execute();
    return rows.map(({ body }) => body);
  }

  async function nothingIsThere(): Promise<boolean> {
    const outbox = await db.database.kysely.selectFrom('outbox').select('outbox_id').execute();
    return (await inboxRows()) === 0 && (await bodies()).length === 0 && outbox.length === 0;
  }
});
