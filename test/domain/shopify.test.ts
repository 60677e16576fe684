import { readJson } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvent, applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks, readRowVersions } from './books.ts';
import { orderEvent } from './order-events.ts';
import { permutations } from './permutations.ts';
import { sampleEvents } from './provider-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const orders = () => db.database.kysely.selectFrom('orders').selectAll().execute();
const told = async () =>
  (await db.database.kysely.selectFrom('outbox').selectAll().orderBy('outbox_id').execute()).map(({ topic }) => topic);

function sample(eventType: string): GivenEvent {
  const found = sampleEvents('shopify').find(({ event }) => event.eventType === eventType);
  if (!found) throw new Error(`no sample of ${eventType}`);
  return found;
}

function shown(given: GivenEvent, fields: object, eventId = given.event.eventId): GivenEvent {
  return { event: { ...given.event, eventId }, payload: { ...(given.payload as object), ...fields } };
}

describe('an order', () => {
  test('placed, paid and cancelled within one second ends the same in all 24 orders, each fact told once', async () => {
    const cancelled = { financial_status: 'voided' };
    const life = [orderEvent('create'), orderEvent('updated', { financial_status: 'authorized' })];
    const events = [...life, orderEvent('paid'), orderEvent('cancelled', cancelled)];
    for (const order of permutations(events)) {
      await emptyBooks(db.database);
      await applyEvents(db.database, [...order, ...order]);
      expect(await orders()).toMatchObject([{ financial_status: 'voided', snapshot_event_id: 'wh_cancelled' }]);
      expect((await told()).toSorted()).toEqual(['order.cancelled', 'order.paid', 'order.placed']);
    }
  });

  test('has its id and its money to the digit, beyond what a double holds', async () => {
    const id = readJson(Buffer.from('9007199254740993'));
    const total_price = '90071992547409931.10';
    await applyEvent(db.database, orderEvent('create', { id: id.outcome === 'json' ? id.value : null, total_price }));
    expect(await orders()).toMatchObject([{ order_id: '9007199254740993', total_price }]);
    const { rows } = await sql`select payload from outbox`.execute(db.database.kysely);
    expect(rows).toEqual([
      { payload: { shop: 'one.myshopify.com', order: '9007199254740993', total_price, currency: 'USD' } },
    ]);
  });

  test.each([12.5, '-1.00', '1e3', 'NaN', '1,00', ''])('with a total of %j is refused', async (total_price) => {
    expect(await applyEvent(db.database, orderEvent('create', { total_price }))).toMatchObject({ outcome: 'reject' });
  });

  test('of the same id in two shops is two orders; one whose shop no header names is refused', async () => {
    const other = orderEvent('create', {}, { shop: 'two.myshopify.com' });
    await applyEvents(db.database, [orderEvent('create'), other]);
    expect(await orders()).toHaveLength(2);
    const nameless = orderEvent('create', {}, { shop: null });
    expect(await applyEvent(db.database, nameless)).toMatchObject({ outcome: 'reject', code: 'shop_missing' });
  });
});

test('a stock level is what the latest event shows, not what all of them add up to', async () => {
  const level = sample('inventory_levels/update');
  const levels = [
    shown(level, { available: 6, updated_at: '2026-01-10T11:00:00Z' }, 'wh_1'),
    shown(level, { available: -2, updated_at: '2026-01-10T11:00:01Z' }, 'wh_2'),
    shown(level, { available: null, updated_at: '2026-01-10T11:00:02Z' }, 'wh_3'),
  ];
  for (const order of permutations(levels)) {
    await emptyBooks(db.database);
    await applyEvents(db.database, [...order, ...order]);
    const rows = await db.database.kysely.selectFrom('inventory_levels').select(['available', 'contested']).execute();
    expect(rows).toEqual([{ available: null, contested: false }]);
  }
});

test('the prices of a product are compared as decimals', async () => {
  const variants = ['99.5', '100.00', '9.99', '99.50'].map((price) => ({ price }));
  await applyEvent(db.database, shown(sample('products/update'), { variants }));
  const rows = await db.database.kysely.selectFrom('products').selectAll().execute();
  expect(rows).toMatchObject([{ variants: 4, lowest_price: '9.99', highest_price: '100.00' }]);
});

test('an uninstallation is told once, and its time only moves forward', async () => {
  const first = sample('app/uninstalled');
  const receivedAt = new Date(first.event.receivedAt.getTime() + 3_600_000);
  const twin = { ...first, event: { ...first.event, eventId: 'wh_twin', receivedAt } };
  for (const order of permutations([first, twin])) {
    await emptyBooks(db.database);
    await applyEvents(db.database, [...order, ...order]);
    expect(await db.database.kysely.selectFrom('shops').selectAll().execute()).toMatchObject([
      { uninstalled_at: receivedAt },
    ]);
    expect(await told()).toEqual(['shop.uninstalled']);
  }
});

describe.each(['customers/data_request', 'customers/redact', 'shop/redact'])('a request of %s', (eventType) => {
  const request = sample(eventType);
  const requests = () =>
    db.database.kysely.selectFrom('compliance_requests').selectAll().orderBy('request_id').execute();
  const dueAt = (receivedAt: Date) => new Date(receivedAt.getTime() + 30 * 24 * 3_600_000);

  test('is open once, due 30 days after its first delivery, told once', async () => {
    const receivedAt = new Date(request.event.receivedAt.getTime() + 3_600_000);
    const twin = { ...request, event: { ...request.event, eventId: 'wh_twin', receivedAt } };
    for (const order of permutations([request, twin])) {
      await emptyBooks(db.database);
      await applyEvents(db.database, [...order, ...order]);
      expect(await requests()).toMatchObject([
        { kind: eventType, shop: 'sample.myshopify.com', due_at: dueAt(request.event.receivedAt), done_at: null },
      ]);
      expect(await told()).toEqual(['compliance.requested']);
    }
  });

  test('that comes again after it was done is a new one', async () => {
    await applyEvent(db.database, request);
    await sql`update compliance_requests set done_at = now(), done_by = 'alice'`.execute(db.database.kysely);
    await applyEvent(db.database, request);
    expect(await requests()).toMatchObject([{ done_by: 'alice' }, { done_at: null }]);
    const versions = await readRowVersions(db.database);
    await applyEvent(db.database, request);
    expect(await readRowVersions(db.database)).toEqual(versions);
  });
});
