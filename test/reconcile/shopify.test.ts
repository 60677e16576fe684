import { handlers } from '@mailroom/domain';
import { uuidv7 } from '@mailroom/kernel';
import { readAgain, schemeOf } from '@mailroom/providers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testReceiver } from '../support/inbox-fixtures.ts';
import { type ShopifyFake, startShopifyFake } from '../support/shopify-fake.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';
import { emptyReconciliation, sourcesAt, sweep } from './sweep-setup.ts';

let db: TestDatabase;
let fake: ShopifyFake;
beforeAll(async () => void (db = await createTestDatabase()));
beforeEach(async () => {
  await emptyReconciliation(db.database);
  fake = await startShopifyFake();
});
afterEach(() => fake.close());
afterAll(() => db.drop());

const shop = 'fake.myshopify.com';
const minutesAgo = (minutes: number) => new Date(Math.floor(Date.now() / 1000) * 1000 - minutes * 60_000);

/** The order as it is from then on. */
function change(id: bigint, at: Date, differing: Readonly<Record<string, unknown>> = {}) {
  const order = {
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    name: `#${id % 1000n}`,
    currency: 'EUR',
    total_price: '19.00',
    financial_status: 'pending',
    cancelled_at: null,
    ...fake.orders.get(id),
    ...differing,
    id,
    updated_at: at.toISOString().replace('.000Z', '+00:00'),
  };
  fake.orders.set(id, order);
  return order;
}

/** The webhook of an order as it was then. */
async function webhook(order: ReturnType<typeof change>, webhookId: string): Promise<void> {
  const headers = {
    'x-shopify-topic': 'orders/paid',
    'x-shopify-shop-domain': shop,
    'x-shopify-webhook-id': webhookId,
  };
  const body = Buffer.from(
    JSON.stringify(order, (_key, at: unknown) => (typeof at === 'bigint' ? JSON.rawJSON(`${at}`) : at)),
  );
  const reading = readAgain(schemeOf('shopify'), { deliveryId: uuidv7(), body, headers });
  if (reading.outcome !== 'events') throw new Error(reading.reason);
  const receiver = testReceiver(db.database);
  await receiver.receive({
    provider: 'shopify',
    endpoint: 'main',
    body,
    headers,
    contentType: 'application/json',
    secretLabel: 'app',
    origin: 'webhook',
    events: reading.events,
  });
  await receiver.close();
}

async function sweepOrders() {
  const [source] = await sourcesAt(fake, 'shopify');
  if (!source) throw new Error('no source');
  const { expected, had, missing } = await sweep(db.database, source);
  return { expected, had, missing };
}

async function workOff(): Promise<void> {
  const worker = startWorker(workerOptions(db.database, { handlers }));
  await waitFor('all events to be processed', async () => {
    const { rows } = await db.database.pool.query<{ state: string }>('select state from webhook_inbox');
    return rows.length > 0 && rows.every(({ state }) => state === 'processed');
  });
  await worker.drain();
}

async function orders() {
  const { rows } = await db.database.pool.query<{ id: string; status: string }>(
    'select order_id::text as id, financial_status as status from orders order by order_id',
  );
  return rows;
}

describe('a sweep over the orders of a shop', () => {
  const first = 9_007_199_254_740_993n;

  test('lets in, page by page, what no webhook has shown, the order as it is now with every digit of its id', async () => {
    for (const at of [0n, 1n, 2n, 3n, 4n])
      change(first + at, minutesAgo(90 - Number(at)), { financial_status: 'paid' });
    await webhook(change(first, minutesAgo(100)), 'wh_of_what_was_before');
    await webhook(change(first + 1n, minutesAgo(89), { financial_status: 'paid' }), 'wh_of_now');
    change(first, minutesAgo(90), { financial_status: 'paid' });
    fake.refuse(1);

    expect(await sweepOrders()).toEqual({ expected: 5, had: 1, missing: 4 });
    expect(fake.calls.filter((call) => call.includes('page_info')).length).toBeGreaterThanOrEqual(2);
    await workOff();
    expect(await orders()).toEqual([0n, 1n, 2n, 3n, 4n].map((at) => ({ id: `${first + at}`, status: 'paid' })));
  });

  test('adds nothing when it is repeated, until an order changes', async () => {
    const versions = [minutesAgo(50), minutesAgo(20)] as const;
    change(first, versions[0]);
    expect(await sweepOrders()).toEqual({ expected: 1, had: 0, missing: 1 });
    expect(await sweepOrders()).toEqual({ expected: 1, had: 1, missing: 0 });
    change(first, versions[1], { financial_status: 'paid' });
    expect(await sweepOrders()).toEqual({ expected: 1, had: 0, missing: 1 });
    const { rows } = await db.database.pool.query(
      'select event_id as id, account from webhook_inbox order by event_id',
    );
    expect(rows).toEqual(
      versions.map((at) => ({ id: `reconcile:orders/${first}@${at.toISOString()}`, account: shop })),
    );
  });

  test('makes the webhook that comes late harmless: the newer order stays', async () => {
    const old = change(first, minutesAgo(60));
    change(first, minutesAgo(30), { financial_status: 'paid' });
    expect(await sweepOrders()).toEqual({ expected: 1, had: 0, missing: 1 });
    await workOff();
    await webhook(old, 'wh_late');
    await webhook(change(first, minutesAgo(30), { financial_status: 'paid' }), 'wh_late_too');
    await workOff();
    expect(await orders()).toEqual([{ id: `${first}`, status: 'paid' }]);
    const { rows } = await db.database.pool.query(
      "select topic from outbox where aggregate like 'shopify:order:%' order by topic",
    );
    expect(rows).toEqual([{ topic: 'order.paid' }, { topic: 'order.placed' }]);
  });

  test('says that a token is wrong without repeating it', async () => {
    const [source] = await sourcesAt(fake, 'shopify', { key: { value: 'shpat_wrong' } });
    if (!source) throw new Error('no source');
    const failure = sweep(db.database, source);
    await expect(failure).rejects.toMatchObject({ code: 'provider_refused' });
    await expect(failure).rejects.not.toThrow(/shpat/);
  });
});
