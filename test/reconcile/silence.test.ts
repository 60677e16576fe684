import { silentTypes } from '@mailroom/reconcile';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';

const hourMs = 3_600_000;
// A Monday at noon.
const now = new Date('2026-11-30T12:00:00Z');

describe('an event type that used to come and does not', () => {
  let db: TestDatabase;
  beforeAll(async () => void (db = await createTestDatabase()));
  beforeEach(async () => void (await db.database.pool.query('delete from inbox_arrivals')));
  afterAll(() => db.drop());

  /** It came in the hours, counted back from now, for which this holds. */
  async function came(eventType: string, inHour: (hoursAgo: number, at: Date) => boolean) {
    const hours = Array.from({ length: 14 * 24 }, (_, index) => index)
      .map((ago) => ({ ago, at: new Date(now.getTime() - ago * hourMs) }))
      .filter(({ ago, at }) => inHour(ago, at))
      .map(({ at }) => at);
    await db.database.pool.query(
      `insert into inbox_arrivals (provider, endpoint, event_type, hour, events)
       select 'stripe', 'billing', $1, hour, 5 from unnest($2::timestamptz[]) as hour`,
      [eventType, hours],
    );
  }

  const silent = async () => (await silentTypes(db.database.kysely, now)).map(({ eventType }) => eventType);

  test('is named once it is silent for longer than it ever is', async () => {
    await came('steady', (ago) => ago >= 5);
    await came('lively', () => true);
    await came('quiet for two hours', (ago) => ago >= 2);
    expect(await silentTypes(db.database.kysely, now)).toEqual([
      {
        provider: 'stripe',
        endpoint: 'billing',
        eventType: 'steady',
        lastHour: new Date('2026-11-30T07:00:00Z'),
        silentHours: 4,
        usualHours: 1,
      },
    ]);
  });

  test('is not named for a night or a weekend, which it has known before', async () => {
    const isOffice = (at: Date) => at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= 8 && at.getUTCHours() < 18;
    await came('office hours', (ago, at) => ago >= 3 && isOffice(at));
    expect(await silent()).toEqual([]);
  });

  test('is named although one outage has made it silent before', async () => {
    await came('once away', (ago) => ago >= 12 && !(ago >= 100 && ago < 148));
    expect(await silent()).toEqual(['once away']);
  });

  test('is not named where it is too rare to tell, nor after fourteen days', async () => {
    await came('rare', (ago) => ago >= 100 && ago % 20 === 0);
    await db.database.pool.query(
      `insert into inbox_arrivals (provider, endpoint, event_type, hour, events)
       select 'stripe', 'billing', 'gone', $1::timestamptz - h * interval '1 hour', 1 from generate_series(400, 500) h`,
      [now],
    );
    expect(await silent()).toEqual([]);
  });

  test('is known from what the ingestor counts: new events, not duplicates, not what a sweep lets in', async () => {
    const receiver = testReceiver(db.database);
    const events = ['evt_1', 'evt_2'].map((id) => incomingEvent(id, { eventType: 'invoice.paid' }));
    await receiver.receive(delivery('batch', { events }));
    await receiver.receive(delivery('batch', { events }));
    await receiver.receive(delivery('evt_3', { origin: 'reconcile' }));
    await receiver.close();
    const { rows } = await db.database.pool.query(
      "select event_type as type, events, hour = date_trunc('hour', now()) or hour = date_trunc('hour', now() - interval '1 minute') as now from inbox_arrivals",
    );
    expect(rows).toEqual([{ type: 'invoice.paid', events: '2', now: true }]);
  });
});
