import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, effectsOf, inboxRow } from '../support/inbox-fixtures.ts';
import { startProcess } from '../support/start-process.ts';
import { recordLast } from './naive-receivers.ts';
import { bookingsOf, createNaiveTables } from './naive-tables.ts';

describe('work, then record', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await createNaiveTables(db.database);
  });
  afterAll(() => db.drop());

  it('the wrong order: killed between booking and recording, the redelivery books a second time', async () => {
    await killAfterBooking('record-last', 'evt_1');
    await recordLast(db.database, 'evt_1');
    expect(await bookingsOf(db.database, 'evt_1')).toBe(2);
  });

  it('killed between booking and COMMIT, nothing is booked and nothing recorded, and the redelivery books once', async () => {
    await killAfterBooking('together', 'evt_2');
    const results = await receiveAndProcess(db.database, delivery('evt_2'), [bookingHandler(() => done)]);
    // Had the dead one left a receipt, this would be a duplicate; had it left its booking, there would be two.
    expect(results).toEqual([{ eventId: 'evt_2', outcome: 'processed' }]);
    expect(await effectsOf(db.database, 'evt_2')).toBe(1);
    expect(await inboxRow(db.database, 'evt_2')).toMatchObject({ state: 'processed', attempts: 1 });
  });

  async function killAfterBooking(order: 'record-last' | 'together', eventId: string): Promise<void> {
    const receiver = startProcess({
      script: 'test/orders/crash-in-the-middle.ts',
      args: [order, eventId],
      env: { DATABASE_URL: db.url },
    });
    expect(await receiver.exited).toEqual({ code: null, signal: 'SIGKILL' });
  }
});
