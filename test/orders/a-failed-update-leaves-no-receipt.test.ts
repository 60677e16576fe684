import { processEvent, receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claimOne,
  delivery,
  effectsOf,
  emptyInbox,
  inboxRow,
  processOptions,
  store,
} from '../support/inbox-fixtures.ts';
import { recordFirst } from './naive-receivers.ts';
import { bookingsOf, createNaiveTables, emptyNaiveTables } from './naive-tables.ts';

describe('record first, then work', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await createNaiveTables(db.database);
  });
  beforeEach(async () => {
    await emptyNaiveTables(db.database);
    await emptyInbox(db.database);
  });
  afterAll(() => db.drop());

  it('the wrong order: the receipt is committed, the work fails, the redelivery is swallowed, the event is lost', async () => {
    const closed = () => Promise.reject(new Error('the ledger is closed'));
    expect(await recordFirst(db.database, 'evt_1', closed)).toBe(503);
    expect(await recordFirst(db.database, 'evt_1')).toBe(200);
    // The provider has its 200 and will never send it again.
    expect(await bookingsOf(db.database, 'evt_1')).toBe(0);
  });

  it('a failed business update leaves no receipt, and the redelivery processes', async () => {
    const closed = bookingHandler(() => {
      throw new Error('the ledger is closed');
    });
    await expect(receiveAndProcess(db.database, delivery('evt_1'), [closed])).rejects.toThrow('the ledger is closed');
    await expect(inboxRow(db.database, 'evt_1')).rejects.toThrow('no result');
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);

    const open = bookingHandler(() => done);
    expect(await receiveAndProcess(db.database, delivery('evt_1'), [open])).toMatchObject([{ outcome: 'processed' }]);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('a receipt that commits first is unprocessed, so a failed update is tried again without any redelivery', async () => {
    await store(db.database, 'evt_1');
    const failed = await processEvent(
      await claimOne(db.database),
      () => Promise.reject(new Error('the ledger is closed')),
      processOptions(db.database),
    );
    expect(failed.outcome).toBe('retried');
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending', processed_at: null });

    await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await bookEffect(tx, 'evt_1');
        return done;
      },
      processOptions(db.database),
    );
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });
});
