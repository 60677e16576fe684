import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, effectsOf, emptyInbox } from '../support/inbox-fixtures.ts';
import { receiveAndNote } from './own-transaction.ts';

describe('in a transaction of the caller', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query(`create table received_today (event_id text not null, outcome text not null)`);
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  const books = [bookingHandler(() => done)];

  it('commits receipt, effect and what the caller writes together, or none of them', async () => {
    await receiveAndNote(db.database, delivery('evt_1'), books);
    expect(await noted()).toEqual(['evt_1 processed']);

    await db.database.pool.query(`alter table received_today add constraint full_now check (event_id <> 'evt_2')`);
    await expect(receiveAndNote(db.database, delivery('evt_2'), books)).rejects.toMatchObject({
      constraint: 'full_now',
    });
    expect(await effectsOf(db.database, 'evt_2')).toBe(0);
    expect(await noted()).toEqual(['evt_1 processed']);
  });

  it('never calls a handler twice under REPEATABLE READ either: the second delivery fails to serialize', async () => {
    const second = db.database.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        await sql`select 1 from webhook_inbox`.execute(tx);
        await receiveAndProcess(db.database, delivery('evt_1'), books);
        return await receiveAndProcess(tx, delivery('evt_1'), books);
      });
    await expect(second).rejects.toMatchObject({ code: '40001' });
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  async function noted(): Promise<readonly string[]> {
    const { rows } = await db.database.pool.query<{ event_id: string; outcome: string }>(
      'select * from received_today',
    );
    return rows.map(({ event_id, outcome }) => `${event_id} ${outcome}`);
  }
});
