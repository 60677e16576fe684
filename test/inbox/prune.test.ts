import { type PruneOptions, prune, retentionRules } from '@mailroom/inbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, inboxRow, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';
import { retention, seedOldEvent, seedOldRows, unfinishedStates } from './old-rows.ts';

describe('pruning', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    for (const { table } of retentionRules) await db.database.pool.query(`delete from ${table}`);
  });
  afterAll(() => db.drop());

  const pruneNow = (differing: Partial<PruneOptions> = {}) =>
    prune(db.database, { retention, redeliveryMsOf: () => null, ...differing });
  const count = async (table: string, where = 'true') => {
    const { rows } = await db.database.pool.query<{ n: number }>(
      `select count(*)::int as n from ${table} where ${where}`,
    );
    return rows[0]?.n;
  };
  const hasBody = (deliveryId: string) => count('webhook_delivery', `delivery_id = '${deliveryId}'`);

  it('drops the body of a finished event first and its row far later', async () => {
    const young = await seedOldEvent(db.database, { eventId: 'young', days: 29 });
    const bare = await seedOldEvent(db.database, { eventId: 'bare', days: 31, state: 'ignored' });
    const gone = await seedOldEvent(db.database, { eventId: 'gone', days: 91 });
    await pruneNow();
    expect(await Promise.all([young, bare, gone].map(hasBody))).toEqual([1, 0, 0]);
    const { rows } = await db.database.pool.query('select event_id from webhook_inbox order by event_id');
    expect(rows).toEqual([{ event_id: 'bare' }, { event_id: 'young' }]);
  });

  it.each(unfinishedStates)('keeps row, body and failures of an event that is %s, however old', async (state) => {
    const deliveryId = await seedOldEvent(db.database, { eventId: 'old', days: 3000, state });
    await db.database.pool.query(
      `insert into inbox_failures (provider, endpoint, event_id, attempt, worker, class, message, failed_at)
       values ('stripe', 'billing', 'old', 1, 'w1', 'handler', 'no', now() - interval '3000 days')`,
    );
    await pruneNow();
    expect(await hasBody(deliveryId)).toBe(1);
    expect(await count('webhook_inbox')).toBe(1);
    expect(await count('inbox_failures')).toBe(1);
  });

  it('keeps the body of a batch as long as one of its events is not finished', async () => {
    const deliveryId = await seedOldEvent(db.database, { eventId: 'first', days: 40 });
    await seedOldEvent(db.database, { eventId: 'second', days: 40, state: 'exhausted', deliveryId });
    await pruneNow();
    expect(await hasBody(deliveryId)).toBe(1);
    await db.database.pool.query(
      `update webhook_inbox set state = 'processed', state_reason = null, processed_at = now() where event_id = 'second'`,
    );
    await pruneNow();
    expect(await hasBody(deliveryId)).toBe(0);
  });

  it('follows every rule: what is old goes, what is young stays', async () => {
    for (const { keptFor } of retentionRules) {
      await seedOldRows(db.database, `old ${keptFor} ${Math.random()}`, retention[keptFor] + 2);
    }
    await seedOldEvent(db.database, { eventId: 'old', days: 400 });
    await seedOldRows(db.database, 'young', 2);
    await seedOldEvent(db.database, { eventId: 'young', days: 2 });
    const pruned = await pruneNow();
    expect(pruned.map(({ rule }) => rule)).toEqual(retentionRules);
    for (const { rule, rows } of pruned) expect([rule.table, rows > 0]).toEqual([rule.table, true]);
    for (const { table, age } of retentionRules) {
      const column = age.replace('t.', '');
      expect([table, await count(table, `${column} > now() - interval '3 days'`)]).toEqual([table, 1]);
    }
    expect((await pruneNow()).reduce((sum, { rows }) => sum + rows, 0)).toBe(0);
  });

  it('leaves what is not finished of the other tables, however old', async () => {
    const old = `now() - interval '4000 days'`;
    await db.database.pool.query(
      `insert into outbox (topic, aggregate, payload, created_at, state) values
         ('t', 'waits', '{}', ${old}, 'pending'), ('t', 'stuck', '{}', ${old}, 'needs_review'),
         ('t', 'behind', '{}', ${old}, 'held'), ('t', 'nowhere', '{}', ${old}, 'unrouted')`,
    );
    await db.database.pool.query(
      `insert into outbox (topic, aggregate, payload, created_at, published_at, state) values ('t', 'late', '{}', ${old}, now(), 'published')`,
    );
    await db.database.pool.query(
      `insert into effect_results (effect_key, provider, operation, request_hash, outbox_id, asked_at, result, known_by, recorded_at)
       select 'of ' || aggregate, 'stripe', 'o', repeat('0', 64), outbox_id, ${old}, '{}'::jsonb, 'answer', ${old} from outbox where state <> 'published'
       union all select 'unknown', 'stripe', 'o', repeat('0', 64), 0, ${old}, null, null, null`,
    );
    await db.database.pool.query(
      `insert into anomalies (kind, object_key, detail, seen_at) values ('k', 'open', '{}', ${old})`,
    );
    await db.database.pool.query(
      `insert into findings (provider, endpoint, account, kind, object_key, first_seen_at, last_seen_at)
       values ('stripe', 'billing', '', 'missing', 'open', ${old}, ${old})`,
    );
    await db.database.pool.query(
      `insert into failure_groups (failure_group, provider, event_type, class, message, last_seen_at)
       values (repeat('a', 16), 'stripe', 'test.event', 'handler', 'no', ${old})`,
    );
    await db.database.pool.query(
      `insert into pauses (scope, failure_group, opened_by, reason, opened_at) values ('failure_group', repeat('a', 16), 'breaker', 'no', ${old})`,
    );
    await seedOldEvent(db.database, { eventId: 'known', days: 2 });
    await db.database.pool.query(
      `insert into inbox_duplicates values ('stripe', 'billing', 'known', 1, ${old}, ${old})`,
    );
    expect((await pruneNow()).reduce((sum, { rows }) => sum + rows, 0)).toBe(0);
  });

  it('counts in a dry run exactly what it then deletes', async () => {
    for (let n = 0; n < 1_200; n += 1) await seedOldEvent(db.database, { eventId: `old_${n}`, days: 100 });
    await seedOldEvent(db.database, { eventId: 'stuck', days: 100, state: 'held' });
    await seedOldRows(db.database, 'old', 400);
    const told = (await pruneNow({ dryRun: true })).map(({ rows }) => rows);
    expect(told.slice(0, 2)).toEqual([1_200, 1_200]);
    expect(await count('webhook_inbox')).toBe(1_201);
    expect((await pruneNow()).map(({ rows }) => rows)).toEqual(told);
    expect(await count('webhook_inbox')).toBe(1);
    expect(await count('webhook_delivery')).toBe(1);
  });

  it('steps over a row that somebody has locked, waits for nobody, and takes it the next time', async () => {
    await seedOldEvent(db.database, { eventId: 'locked', days: 100 });
    await seedOldEvent(db.database, { eventId: 'free', days: 100 });
    const other = await db.database.pool.connect();
    await other.query('begin');
    await other.query(`select from webhook_inbox where event_id = 'locked' for update`);
    await pruneNow();
    expect(await count('webhook_inbox', `event_id = 'locked'`)).toBe(1);
    expect(await count('webhook_inbox')).toBe(1);
    await other.query('commit');
    other.release();
    await pruneNow();
    expect(await count('webhook_inbox')).toBe(0);
  });

  it('deletes nothing where a provider may send an event again for longer than it is kept', async () => {
    await seedOldEvent(db.database, { eventId: 'old', days: 100 });
    const redeliveryMsOf = (provider: string) => (provider === 'stripe' ? 90 * 86_400_000 : null);
    await expect(pruneNow({ redeliveryMsOf })).rejects.toMatchObject({ code: 'retention_too_short' });
    expect(await count('webhook_inbox')).toBe(1);
    expect(await count('webhook_delivery')).toBe(1);
    // Of a provider that this ledger has nothing of, nothing can come again.
    await pruneNow({ redeliveryMsOf: (provider) => (provider === 'adyen' ? 90 * 86_400_000 : null) });
    expect(await count('webhook_inbox')).toBe(0);
  });

  it('a redelivery after the body is gone is a duplicate that brings the body back, and the body stays', async () => {
    const deliveryId = await seedOldEvent(db.database, { eventId: 'evt_1', days: 40 });
    await pruneNow();
    expect(await hasBody(deliveryId)).toBe(0);

    const receiver = testReceiver(db.database);
    const receipt = await receiver.receive(delivery('evt_1', { events: [incomingEvent('evt_1')] }));
    await receiver.close();
    expect(receipt).toMatchObject({ stored: 0, duplicates: 1 });
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed', delivery_id: deliveryId });
    expect(await hasBody(deliveryId)).toBe(1);
    // It lies among the oldest, and is as young as its redelivery.
    await pruneNow();
    expect(await hasBody(deliveryId)).toBe(1);
    await db.database.pool.query(`update webhook_delivery set received_at = now() - interval '31 days'`);
    await pruneNow();
    expect(await hasBody(deliveryId)).toBe(0);
  });
});
