import { createHash } from 'node:crypto';
import { processEvent, type Work } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { schemeOf } from '@mailroom/providers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { claim, emptyInbox, processOptions } from '../support/inbox-fixtures.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';

const secret = 'a-secret-of-thirty-two-characters';
const signalOptions = { signature: { header: 'x-acme-signature' }, event: { type: '{type}', signal: true } };

let db: TestDatabase;
let ingest: IngestProcess;
beforeAll(async () => {
  db = await createTestDatabase();
  ingest = await startIngest({
    databaseUrl: db.url,
    endpoints: [
      { provider: 'shopify', endpoint: 'main', secrets: ['env:TEST_SECRET'] },
      { provider: 'paypal', endpoint: 'main', secrets: ['env:WEBHOOK_ID'] },
      {
        provider: 'acme',
        scheme: 'generic-hmac',
        options: signalOptions,
        endpoint: 'main',
        secrets: ['env:TEST_SECRET'],
      },
    ],
    env: { TEST_SECRET: secret, WEBHOOK_ID: '4JH86294D6297924G' },
  });
});
afterAll(async () => {
  await ingest.stop();
  await db.drop();
});
beforeEach(() => emptyInbox(db.database));

test('two signals of equal bytes are two events, and both reach the handler', async () => {
  const body = Buffer.from('{"type":"stock.changed"}');
  const headers = schemeOf('generic-hmac', signalOptions).sign(body, secret, 0)?.headers ?? {};
  const answers = [await post('acme/main', body, headers), await post('acme/main', body, headers)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);

  const claimed = await claim(db.database, { limit: 10, worker: 'w1', leaseMs: 60_000 });
  expect(claimed.length).toBe(2);
  const handled: string[] = [];
  for (const event of claimed) {
    const work: Work = (_tx, locked) => {
      handled.push(locked.eventId);
      return Promise.resolve(done);
    };
    await processEvent(event, work, processOptions(db.database));
  }
  expect(new Set(handled).size).toBe(2);
  for (const id of handled) expect(id).toMatch(/^signal:/);
});

test('a Shopify body that is replayed under a fresh id is a new event, and its handler sees the same hash', async () => {
  const body = Buffer.from('{"id":1,"note":"captured"}');
  const signed = schemeOf('shopify').sign(body, secret, 0)?.headers ?? {};
  const claims = { 'x-shopify-topic': 'orders/create', 'x-shopify-shop-domain': 'a.myshopify.com' };
  for (const id of ['w1', 'w2', 'w2']) {
    const answer = await post('shopify/main', body, { ...signed, ...claims, 'x-shopify-webhook-id': id });
    expect(answer.status).toBe(200);
  }
  const rows = await db.database.kysely.selectFrom('webhook_inbox').selectAll().orderBy('event_id').execute();
  expect(rows.map(({ event_id: id }) => id)).toEqual(['w1', 'w2']);
  expect(rows[0]?.body_sha256).not.toBeNull();
  expect(rows[1]?.body_sha256).toEqual(rows[0]?.body_sha256);

  const hashes: (string | null)[] = [];
  const work: Work = (_tx, { bodyHash }) => {
    hashes.push(bodyHash);
    return Promise.resolve(done);
  };
  for (const event of await claim(db.database, { limit: 10, worker: 'w1', leaseMs: 60_000 })) {
    await processEvent(event, work, processOptions(db.database));
  }
  const sha256 = createHash('sha256').update(body).digest('hex');
  expect(hashes).toEqual([sha256, sha256]);
});

test('a certificate that is out of reach is answered 503, and one that is elsewhere 401', async () => {
  const headers = {
    'paypal-transmission-sig': Buffer.alloc(256, 1).toString('base64'),
    'paypal-transmission-id': 'dfb3be50-fd74-11e4-8bf3-77339302725b',
    'paypal-transmission-time': new Date().toISOString(),
    'paypal-auth-algo': 'SHA256withRSA',
  };
  // A name below paypal.com that exists nowhere.
  const unreached = await post('paypal/main', Buffer.from('{}'), {
    ...headers,
    'paypal-cert-url': 'https://no-such-host.mailroom-test.paypal.com/c.pem',
  });
  expect([unreached.status, unreached.headers.get('retry-after')]).toEqual([503, '5']);
  const elsewhere = { ...headers, 'paypal-cert-url': 'https://paypal.com.evil.example/c.pem' };
  expect((await post('paypal/main', Buffer.from('{}'), elsewhere)).status).toBe(401);
});

function post(path: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`http://127.0.0.1:${ingest.port}/webhooks/${path}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers,
  });
}
