import { processEvent, receiveAndProcess, retryEvents } from '@mailroom/inbox';
import { done, reject } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claim,
  claimOne,
  delivery,
  effectsOf,
  emptyInbox,
  inboxRow,
  processOptions,
  store,
} from '../support/inbox-fixtures.ts';

describe('receiveAndProcess of an event that is stored already', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  const books = bookingHandler(() => done);

  it('processes what nobody has begun, from the bytes in the ledger', async () => {
    await store(db.database, 'evt_1');
    const redelivery = delivery('evt_1', { body: Buffer.from('{"id":"evt_1","again":true}') });
    let payload: unknown;
    const reading = bookingHandler((context) => {
      payload = context.payload;
      return done;
    });
    expect(await receiveAndProcess(db.database, redelivery, [reading])).toMatchObject([{ outcome: 'processed' }]);
    expect(payload).toEqual({ id: 'evt_1' });
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed', attempts: 1 });
    expect(await claim(db.database, { limit: 1, worker: 'w', leaseMs: 1_000 })).toEqual([]);
  });

  it('leaves to a worker what the worker has claimed, and to the clock what waits for its next attempt', async () => {
    await store(db.database, 'evt_1');
    const claimed = await claimOne(db.database);
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'duplicate' }]);
    const retry = { backoff: { baseMs: 3_600_000, capMs: 3_600_000 }, maxInfraRetries: 20 };
    await processEvent(claimed, () => Promise.reject(new Error('no')), processOptions(db.database, { retry }));
    await db.database.pool.query("update webhook_inbox set available_at = now() + interval '1 hour'");
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'duplicate' }]);
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);
  });

  it('leaves the row as it was when its handler fails here', async () => {
    await store(db.database, 'evt_1');
    const before = await inboxRow(db.database, 'evt_1');
    const failing = bookingHandler(() => {
      throw new Error('no');
    });
    await expect(receiveAndProcess(db.database, delivery('evt_1'), [failing])).rejects.toThrow('no');
    expect(await inboxRow(db.database, 'evt_1')).toEqual(before);
  });

  it('shares each of 50 events with a worker that claims at the same time', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `evt_${n}`);
    await store(db.database, ...ids);
    const worker = async () => {
      for (;;) {
        const batch = await claim(db.database, { limit: 3, worker: 'w1', leaseMs: 60_000 });
        if (batch.length === 0) return;
        for (const claimed of batch) {
          await processEvent(
            claimed,
            async (tx) => (await bookEffect(tx, claimed.eventId), done),
            processOptions(db.database),
          );
        }
      }
    };
    await Promise.all([worker(), ...ids.map((id) => receiveAndProcess(db.database, delivery(id), [books]))]);
    for (const id of ids) {
      expect(await effectsOf(db.database, id)).toBe(1);
      expect(await inboxRow(db.database, id)).toMatchObject({ state: 'processed' });
    }
  });

  it('takes up what an operator retried, so that a server without workers can mend and have it sent again', async () => {
    await receiveAndProcess(db.database, delivery('evt_1'), [bookingHandler(() => reject('bad', 'no'))]);
    const key = { provider: 'stripe', endpoint: 'billing', eventId: 'evt_1' };
    await retryEvents(db.database, { keys: [key], actor: 'alice', reason: 'mended' });
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [books])).toMatchObject([{ outcome: 'processed' }]);
  });
});
