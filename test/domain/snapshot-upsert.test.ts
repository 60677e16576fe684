import { type Database, inTransaction, migrate, openDatabase } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startSystemPostgres, systemPostgres } from '../support/system-postgres.ts';
import { applyBatch, applyEvent, applyEvents, callHandler } from './apply-event.ts';
import { emptyBooks, readRowVersions } from './books.ts';
import { orderEvent } from './order-events.ts';
import { permutations } from './permutations.ts';

const older = systemPostgres();
if (older === null) process.stderr.write('skipped: the snapshot upsert before PostgreSQL 18, no such server is here\n');

describe('on the server of this run', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db.drop());
  holdUpsert(() => db.database);

  test('RETURNING OLD and xmax = 0 tell the same of an insert and an update', async ({ skip }) => {
    const { kysely } = db.database;
    const version = await sql<{ n: number }>`select current_setting('server_version_num')::int as n`.execute(kysely);
    if ((version.rows[0]?.n ?? 0) < 180_000) skip('this server is older than PostgreSQL 18');
    const upsert = sql<{ by_old: boolean; by_xmax: boolean }>`
      insert into shops as kept (shop, uninstalled_at) values ('a', now()), ('b', now())
      on conflict (shop) do update set uninstalled_at = excluded.uninstalled_at
      returning (old.shop is null) as by_old, (kept.xmax = 0) as by_xmax`;
    await inTransaction(db.database, async (tx) => {
      await sql`insert into shops (shop, uninstalled_at) values ('a', now())`.execute(tx);
      const isNew = { by_old: true, by_xmax: true };
      const isOld = { by_old: false, by_xmax: false };
      expect((await upsert.execute(tx)).rows).toEqual([isOld, isNew]);
      // Also of a row that this very transaction has inserted.
      expect((await upsert.execute(tx)).rows).toEqual([isOld, isOld]);
    });
  });
});

describe.skipIf(older === null)(`on PostgreSQL ${older?.version}, by xmax = 0`, () => {
  let database: Database;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const server = await startSystemPostgres(older?.bin ?? '');
    stop = server.stop;
    await migrate({ url: server.url, deadlineMs: 30_000, log: silentLogger });
    database = openDatabase({
      url: server.url,
      applicationName: 'mailroom-test',
      maxConnections: 4,
      connectTimeoutMs: 10_000,
      queryTimeoutMs: 0,
      onIdleError: () => undefined,
    });
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await stop();
  });
  holdUpsert(() => database);
});

function holdUpsert(databaseOf: () => Database): void {
  beforeEach(() => emptyBooks(databaseOf()));

  const at = (minute: number) => `2026-01-10T11:${String(minute).padStart(2, '0')}:00-05:00`;
  const placed = () =>
    databaseOf().kysely.selectFrom('outbox').select('event_id').where('topic', '=', 'order.placed').execute();
  const orders = () => databaseOf().kysely.selectFrom('orders').selectAll().orderBy('order_id').execute();

  test('an identical replay and an older snapshot write no row version, but hold the row', async () => {
    const [newer, first] = [orderEvent('updated', { updated_at: at(5) }), orderEvent('create')];
    await applyEvents(databaseOf(), [first, newer]);
    const versions = await readRowVersions(databaseOf());
    await applyEvents(databaseOf(), [newer, first, newer, { ...newer }]);
    await applyBatch(databaseOf(), [newer, first, newer]);
    expect(await readRowVersions(databaseOf())).toEqual(versions);
    await inTransaction(databaseOf(), async (tx) => {
      await callHandler(tx, first);
      const free = await sql`select from orders for update skip locked`.execute(databaseOf().kysely);
      expect(free.rows).toHaveLength(0);
    });
  });

  test('a batch that holds an order several times keeps the newest, in every order of the batch', async () => {
    const events = [1, 2, 3].map((minute) =>
      orderEvent('updated', { updated_at: at(minute), total_price: `${minute}.00` }, { id: `wh_${minute}` }),
    );
    const other = orderEvent('updated', { id: 7, total_price: '7.00' }, { id: 'wh_other' });
    for (const order of permutations([...events, other])) {
      await emptyBooks(databaseOf());
      expect(await applyBatch(databaseOf(), order)).toEqual(order.map(() => ({ outcome: 'done' })));
      expect(await orders()).toMatchObject([
        { order_id: '7', total_price: '7.00' },
        { order_id: '450789469', total_price: '3.00', contested: false },
      ]);
      expect(await placed()).toHaveLength(2);
    }
  });

  test('two snapshots of one time that differ are contested, also within one batch, until a later one comes', async () => {
    const tied = ['1.00', '2.00', '3.00'].map((total_price, index) =>
      orderEvent('updated', { total_price }, { id: `wh_${index}` }),
    );
    for (const apply of [applyEvents, applyBatch]) {
      for (const order of [...permutations(tied), ...permutations(tied.slice(1))]) {
        await emptyBooks(databaseOf());
        await apply(databaseOf(), order);
        expect(await orders()).toMatchObject([{ total_price: '3.00', contested: true, snapshot_event_id: 'wh_2' }]);
        const anomalies = await databaseOf().kysely.selectFrom('anomalies').selectAll().execute();
        expect(anomalies).toMatchObject([{ kind: 'snapshots_tie' }]);
        const versions = await readRowVersions(databaseOf());
        await apply(databaseOf(), order);
        expect(await readRowVersions(databaseOf())).toEqual(versions);
      }
    }
    await applyEvent(databaseOf(), orderEvent('updated', { updated_at: at(1) }, { id: 'wh_a' }));
    expect(await orders()).toMatchObject([{ total_price: '409.94', contested: false }]);
  });

  test('an insert is told from an update: whichever event comes first places the order, once', async () => {
    const events = [
      orderEvent('create'),
      orderEvent('updated', { updated_at: at(1) }),
      orderEvent('paid', { updated_at: at(2) }),
    ];
    for (const order of permutations(events)) {
      await emptyBooks(databaseOf());
      await applyEvents(databaseOf(), [...order, ...order]);
      expect(await placed()).toEqual([{ event_id: order[0]?.event.eventId }]);
    }
  });

  test('eight transactions at once over the same two orders place each once and end alike', async () => {
    const events = Array.from({ length: 8 }, (_, index) =>
      [1, 2].map((id) => orderEvent('updated', { id, updated_at: at(index) }, { id: `wh_${id}_${index}` })),
    );
    // Half of them name the two in the other order, which must not deadlock.
    await Promise.all(
      events.map((pair, index) => applyBatch(databaseOf(), index % 2 === 0 ? pair : pair.toReversed())),
    );
    expect(await placed()).toHaveLength(2);
    expect(await orders()).toMatchObject([{ snapshot_event_id: 'wh_1_7' }, { snapshot_event_id: 'wh_2_7' }]);
  });
}
