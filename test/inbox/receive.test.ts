import { formatEventKey } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, emptyInbox, inboxRow, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';

describe('receive', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('keeps the exact bytes beside an unprocessed row', async () => {
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x00, 0xff, 0x7d, 0x0d, 0x0a]);
    const receiver = testReceiver(db.database);
    const receipt = await receiver.receive(
      delivery('evt_1', { body, headers: { 'user-agent': 'Stripe/1.0' }, secretLabel: 'new' }),
    );
    await receiver.close();
    expect(receipt).toEqual({ stored: 1, duplicates: 0 });
    const row = await inboxRow(db.database, 'evt_1');
    expect(row).toMatchObject({
      state: 'pending',
      attempts: 0,
      max_attempts: 3,
      secret_label: 'new',
      processed_at: null,
    });
    const stored = await db.database.kysely.selectFrom('webhook_delivery').selectAll().executeTakeFirstOrThrow();
    expect(stored.delivery_id).toBe(row.delivery_id);
    expect(stored.body.equals(body)).toBe(true);
    expect(stored.headers).toEqual({ 'user-agent': 'Stripe/1.0' });
  });

  it('stores the same event twice as one row and counts the duplicate outside the acknowledging path', async () => {
    const receiver = testReceiver(db.database);
    expect(await receiver.receive(delivery('evt_1'))).toEqual({ stored: 1, duplicates: 0 });
    expect(await receiver.receive(delivery('evt_1'))).toEqual({ stored: 0, duplicates: 1 });
    await receiver.close();
    expect(await countRows('webhook_inbox')).toBe(1);
    expect(await countRows('webhook_delivery')).toBe(1);
    const duplicates = await db.database.kysely.selectFrom('inbox_duplicates').selectAll().execute();
    expect(duplicates).toMatchObject([{ event_id: 'evt_1', count: '1' }]);
  });

  it('stores one row when 8 receivers get the same event at once', async () => {
    const receivers = Array.from({ length: 8 }, () => testReceiver(db.database));
    const receipts = await Promise.all(receivers.map((receiver) => receiver.receive(delivery('evt_1'))));
    await Promise.all(receivers.map((receiver) => receiver.close()));
    expect(receipts.filter(({ stored }) => stored === 1)).toHaveLength(1);
    expect(receipts.filter(({ duplicates }) => duplicates === 1)).toHaveLength(7);
    expect(await countRows('webhook_inbox')).toBe(1);
    const [counted] = await db.database.kysely.selectFrom('inbox_duplicates').select('count').execute();
    expect(counted?.count).toBe('7');
  });

  it('lets concurrent deliveries share commits and answers each for itself', async () => {
    const writes: number[] = [];
    const receiver = testReceiver(db.database, { onWrite: (rows) => writes.push(rows) });
    const ids = Array.from({ length: 200 }, (_, n) => `evt_${n % 150}`);
    const receipts = await Promise.all(ids.map((id) => receiver.receive(delivery(id))));
    await receiver.close();
    expect(receipts.filter(({ stored }) => stored === 1)).toHaveLength(150);
    expect(receipts.filter(({ duplicates }) => duplicates === 1)).toHaveLength(50);
    expect(await countRows('webhook_inbox')).toBe(150);
    expect(await countRows('webhook_delivery')).toBe(150);
    expect(writes.length).toBeLessThan(100);
  });

  it('commits all events of one delivery together with where each stands in the body', async () => {
    const items = ['a', 'b"\\', 'c'].map((id, n) => incomingEvent(id, { itemPath: ['trans "\\actions', String(n)] }));
    const receiver = testReceiver(db.database);
    expect(await receiver.receive(delivery('batch', { events: items }))).toEqual({ stored: 3, duplicates: 0 });
    await receiver.close();
    expect((await inboxRow(db.database, 'b"\\')).item_path).toEqual(['trans "\\actions', '1']);
    expect(await countRows('webhook_delivery')).toBe(1);
  });

  it('keeps the new events of a delivery that holds known ones too', async () => {
    const receiver = testReceiver(db.database);
    await receiver.receive(delivery('a'));
    const both = delivery('both', { events: [incomingEvent('a'), incomingEvent('b'), incomingEvent('b')] });
    expect(await receiver.receive(both)).toEqual({ stored: 1, duplicates: 2 });
    await receiver.close();
    expect(await countRows('webhook_inbox')).toBe(2);
  });

  it('keeps what cannot be read apart as quarantined', async () => {
    const receiver = testReceiver(db.database);
    const event = incomingEvent('sha256:1', { quarantineReason: 'the body is not JSON' });
    await receiver.receive(delivery('x', { events: [event] }));
    await receiver.close();
    const row = await inboxRow(db.database, 'sha256:1');
    expect(row).toMatchObject({ state: 'quarantined', state_reason: 'the body is not JSON' });
  });

  it('gives a known event its body back when the body is gone, without touching the ledger row', async () => {
    const receiver = testReceiver(db.database);
    await receiver.receive(delivery('evt_1'));
    await db.database.pool.query('delete from webhook_delivery');
    const before = await version('evt_1');
    expect(await receiver.receive(delivery('evt_1'))).toEqual({ stored: 0, duplicates: 1 });
    await receiver.close();
    const row = await inboxRow(db.database, 'evt_1');
    const bodies = await db.database.kysely.selectFrom('webhook_delivery').select('delivery_id').execute();
    expect(bodies).toEqual([{ delivery_id: row.delivery_id }]);
    expect(await version('evt_1')).toBe(before);
  });

  it('acknowledges a redelivery while its row is being written elsewhere, and holds no neighbour up', async () => {
    const receiver = testReceiver(db.database, { lockTimeoutMs: 300, writesInFlight: 1 });
    await receiver.receive(delivery('evt_1'));
    const holder = await db.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query("update webhook_inbox set last_error = 'held' where event_id = 'evt_1'");
      const receipts = await Promise.all(['evt_1', 'evt_2', 'evt_3'].map((id) => receiver.receive(delivery(id))));
      expect(receipts.map(({ stored }) => stored)).toEqual([0, 1, 1]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await receiver.close();
  });

  it('refuses, and does not stall neighbours, when somebody else holds the key uncommitted', async () => {
    const receiver = testReceiver(db.database, { lockTimeoutMs: 300, writesInFlight: 1 });
    const holder = await db.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query(
        `insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, max_attempts)
         values ('stripe', 'billing', 'evt_1', gen_random_uuid(), 't', 3)`,
      );
      const [waiting, neighbour] = await Promise.allSettled([
        receiver.receive(delivery('evt_1')),
        receiver.receive(delivery('evt_2')),
      ]);
      expect(waiting).toMatchObject({ status: 'rejected', reason: { code: '55P03' } });
      expect(neighbour).toMatchObject({ status: 'fulfilled', value: { stored: 1 } });
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await receiver.close();
  });

  it('refuses past its bounds, stores nothing of the refused and recovers by itself', async () => {
    const receiver = testReceiver(db.database, { maxWaitingRows: 5 });
    const ids = Array.from({ length: 20 }, (_, n) => `evt_${n}`);
    const results = await Promise.allSettled(ids.map((id) => receiver.receive(delivery(id))));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(15);
    expect(refused[0]?.reason).toMatchObject({ code: 'inbox_overloaded' });
    expect(await countRows('webhook_inbox')).toBe(5);
    expect(await receiver.receive(delivery('evt_19'))).toEqual({ stored: 1, duplicates: 0 });
    await receiver.close();
  });

  it('finishes what was submitted before it closes and refuses what comes after', async () => {
    const receiver = testReceiver(db.database);
    const receipts = Array.from({ length: 50 }, (_, n) => receiver.receive(delivery(`evt_${n}`)));
    await receiver.close();
    expect(await countRows('webhook_inbox')).toBe(50);
    expect(await Promise.all(receipts)).toHaveLength(50);
    await expect(receiver.receive(delivery('late'))).rejects.toMatchObject({ code: 'inbox_closed' });
  });

  it('never deadlocks two receivers that get the same keys in opposite order', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `evt_${n}`);
    const batch = (order: readonly string[]) => delivery('batch', { events: order.map((id) => incomingEvent(id)) });
    for (let round = 0; round < 10; round += 1) {
      await emptyInbox(db.database);
      const receivers = [testReceiver(db.database), testReceiver(db.database)];
      await Promise.all(receivers.map((r, n) => r.receive(batch(n === 0 ? ids : ids.toReversed()))));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      expect(await countRows('webhook_inbox')).toBe(40);
    }
  });

  it('keeps the same event id apart on two endpoints', async () => {
    const receiver = testReceiver(db.database);
    await receiver.receive(delivery('evt_1'));
    expect(await receiver.receive(delivery('evt_1', { endpoint: 'other' }))).toEqual({ stored: 1, duplicates: 0 });
    await receiver.close();
    const rows = await db.database.kysely.selectFrom('webhook_inbox').selectAll().execute();
    const keys = rows.map((row) => formatEventKey({ ...row, eventId: row.event_id }));
    expect(keys.toSorted()).toEqual(['stripe/billing/evt_1', 'stripe/other/evt_1']);
  });

  async function countRows(table: 'webhook_inbox' | 'webhook_delivery'): Promise<number> {
    const { rows } = await db.database.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? -1;
  }

  async function version(eventId: string): Promise<string> {
    const { rows } = await db.database.pool.query<{ xmin: string }>(
      'select xmin::text from webhook_inbox where event_id = $1',
      [eventId],
    );
    return rows[0]?.xmin ?? '';
  }
});
