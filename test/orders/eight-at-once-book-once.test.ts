import type { Database } from '@mailroom/db';
import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookingHandler } from '../support/booking-handler.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { everyoneHere } from '../support/everyone-here.ts';
import { delivery, effectsOf, emptyInbox, inboxRow } from '../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../support/lock-waiters.ts';
import { checkThenAct } from './naive-receivers.ts';
import { bookingsOf, createNaiveTables } from './naive-tables.ts';

describe('check, then act', () => {
  let db: TestDatabase;
  let servers: readonly Database[];
  beforeAll(async () => {
    db = await createTestDatabase();
    await createNaiveTables(db.database);
    servers = Array.from({ length: 8 }, () => db.open({ maxConnections: 1 }));
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('the wrong order: eight look, nobody has seen the event, and all eight book it', async () => {
    const allHaveLooked = everyoneHere(servers.length);
    await Promise.all(servers.map((server) => checkThenAct(server, 'evt_1', allHaveLooked)));
    expect(await bookingsOf(db.database, 'evt_1')).toBe(8);
  });

  it('8 at once give 1 processed and 7 duplicates', async () => {
    let calls = 0;
    const release = Promise.withResolvers<void>();
    const handler = bookingHandler(async () => {
      calls += 1;
      await release.promise;
      return done;
    });
    const answers = servers.map((server) => receiveAndProcess(server, delivery('evt_1'), [handler]));
    // Seven wait for the one that inserted first, so they really are at once.
    await waitForLockWaiters(db.database, 7);
    release.resolve();
    const outcomes = (await Promise.all(answers)).flat().map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual([...Array(7).fill('duplicate'), 'processed']);
    expect(calls).toBe(1);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('the first delivery fails half-way while the others wait: one of them takes over and the rest are duplicates', async () => {
    let calls = 0;
    const release = Promise.withResolvers<void>();
    const handler = bookingHandler(async () => {
      calls += 1;
      if (calls > 1) return done;
      await release.promise;
      throw new Error('half-way');
    });
    const answers = servers.map((server) => receiveAndProcess(server, delivery('evt_2'), [handler]));
    await waitForLockWaiters(db.database, 7);
    release.resolve();
    const settled = await Promise.allSettled(answers);
    const outcomes = settled.map((one) =>
      one.status === 'fulfilled' ? String(one.value[0]?.outcome) : String(one.reason),
    );
    expect(outcomes.toSorted()).toEqual(['Error: half-way', ...Array(6).fill('duplicate'), 'processed']);
    expect(calls).toBe(2);
    expect(await effectsOf(db.database, 'evt_2')).toBe(1);
    expect(await inboxRow(db.database, 'evt_2')).toMatchObject({ state: 'processed' });
  });
});
