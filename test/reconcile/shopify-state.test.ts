import {
  accessOf,
  asOnlyRunner,
  checkRegistrations,
  compareState,
  listFindings,
  stateSourcesOf,
} from '@mailroom/reconcile';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ShopifyFake, shopifyToken, startShopifyFake } from '../support/shopify-fake.ts';
import { emptyReconciliation } from './sweep-setup.ts';

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
const publicUrl = 'https://hooks.example.com';
const request = { task: 'reconcile', holder: 'test', leaseMs: 60_000 };

function access() {
  const reconcile = { key: { value: shopifyToken }, accounts: 'own', types: null, shop, apiBase: fake.url } as const;
  const endpoint = { provider: 'shopify', scheme: 'shopify', endpoint: 'main', options: {}, reconcile };
  const [opened] = accessOf([endpoint], { stripeApiKey: null, stripeApiBase: null, requestsPerSecond: 100 });
  if (opened?.kind !== 'shopify') throw new Error('no access');
  return opened;
}

const findings = async () =>
  (await listFindings(db.database.kysely, { limit: 10 })).map(({ kind, objectKey, theirs }) => ({
    kind,
    objectKey,
    theirs,
  }));

describe('a comparison with Shopify', () => {
  test('finds orders that are missing or show something else, page by page', async () => {
    const order = { updated_at: new Date().toISOString(), currency: 'EUR', cancelled_at: null };
    for (const [id, status, total] of [
      [1n, 'paid', '19.00'],
      [2n, 'paid', '19.00'],
      [3n, 'paid', '20.00'],
      [4n, 'paid', '19.0'],
    ] as const) {
      fake.orders.set(id, { ...order, id, financial_status: status, total_price: total });
      if (id === 1n) continue;
      await db.database.pool.query(
        `insert into orders (shop, order_id, currency, total_price, financial_status, stage, snapshot_at, step, snapshot_event_id, contested)
         values ($1, $2, 'EUR', 19.00, $3, 0, now(), 0, 'wh', false)`,
        [shop, id.toString(), id === 2n ? 'pending' : 'paid'],
      );
    }
    const [source] = await stateSourcesOf(access());
    if (!source) throw new Error('no source');
    const since = new Date(Date.now() - 3_600_000);
    await asOnlyRunner(db.database, request, (runner) =>
      compareState(source, { database: db.database, runner, since }),
    );
    expect(await findings()).toEqual([
      { kind: 'amount_differs', objectKey: `${shop}/orders/3`, theirs: 'paid, total 20.00' },
      { kind: 'status_differs', objectKey: `${shop}/orders/2`, theirs: 'paid, total 19.00' },
      { kind: 'missing', objectKey: `${shop}/orders/1`, theirs: 'paid, total 19.00' },
    ]);
  });
});

describe('the registrations at Shopify', () => {
  const check = async () => {
    const run = await asOnlyRunner(db.database, request, (runner) =>
      checkRegistrations(access(), { database: db.database, runner, publicUrl }),
    );
    if (run.outcome === 'busy') throw new Error('busy');
    return run.result.wrong.map(({ kind, theirs }) => `${kind}: ${theirs}`);
  };

  test('are missed when all are gone, and topic by topic when one of them is', async () => {
    await db.database.pool.query(
      `insert into inbox_arrivals (provider, endpoint, event_type, hour, events)
       select 'shopify', 'main', type, date_trunc('hour', now()), 1
       from unnest(array['orders/create', 'orders/paid', 'customers/redact']) as type`,
    );
    expect(await check()).toEqual(['registration_missing: no registration points there']);
    const address = `${publicUrl}/webhooks/shopify/main`;
    fake.webhooks.push(
      { id: 1, topic: 'orders/create', address },
      { id: 2, topic: 'orders/paid', address: 'https://elsewhere/' },
    );
    expect(await check()).toEqual(['registration_incomplete: not registered: orders/paid']);
    fake.webhooks.push({ id: 3, topic: 'orders/paid', address });
    expect(await check()).toEqual([]);
    expect(await findings()).toEqual([]);
  });
});
