import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fixturesFolder } from '../support/fixtures-folder.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows, storedRows } from './ledger.ts';
import { openRaw, type RawAnswer, talk } from './raw-http.ts';
import {
  billingSecret,
  connectSecret,
  onTheWire,
  retiredSecret,
  type SignedRequest,
  signed,
  stripeEvent,
} from './signed-request.ts';

let test: TestDatabase;
let ingest: IngestProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: test.url });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});
beforeEach(() => emptyInbox(test.database));

describe('a delivery that verifies', () => {
  it('is in the ledger when its 200 arrives, which is empty and sets no cookie', async () => {
    const event = stripeEvent();
    const answer = await post(event);
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('');
    expect(answer.headers.get('content-length')).toBe('0');
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(await storedRows(test.database, event.eventId)).toMatchObject([
      { provider: 'stripe', endpoint: 'billing', event_type: 'invoice.paid', state: 'pending', body: event.body },
    ]);
  });

  it('is stored unprocessed, unclaimed, with the label of the secret that matched', async () => {
    const event = stripeEvent();
    const rotated = { ...signed(event.body, retiredSecret), eventId: event.eventId };
    expect((await post(rotated)).status).toBe(200);
    expect(await storedRows(test.database, event.eventId)).toMatchObject([
      { attempts: 0, lease_token: null, secret_label: 'RETIRED_TEST_SECRET' },
    ]);
  });

  it('sent twice gives one row and two 200s', async () => {
    const event = stripeEvent();
    expect((await post(event)).status).toBe(200);
    expect((await post(event)).status).toBe(200);
    expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
  });

  it('sent from 8 connections at once gives one row and eight 200s', async () => {
    const event = stripeEvent();
    const connections = await Promise.all(Array.from({ length: 8 }, () => openRaw(ingest.port)));
    for (const connection of connections) connection.write(onTheWire(event));
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
  });

  it('sent to two endpoints gives two rows', async () => {
    const event = stripeEvent();
    const toConnect = { ...signed(event.body, connectSecret), eventId: event.eventId };
    expect((await post(event)).status).toBe(200);
    expect((await post(toConnect, '/webhooks/stripe/connect')).status).toBe(200);
    const rows = await storedRows(test.database, event.eventId);
    expect(rows.map(({ endpoint }) => endpoint)).toEqual(['billing', 'connect']);
  });

  it('of a type that nobody knows is stored and answered 200', async () => {
    const event = stripeEvent({ type: 'brand.new.type' });
    expect((await post(event)).status).toBe(200);
    expect(await storedRows(test.database, event.eventId)).toMatchObject([{ event_type: 'brand.new.type' }]);
  });

  it('that cannot be read is kept, quarantined and answered 200', async () => {
    const body = Buffer.from(`not JSON ${randomUUID()}`);
    expect((await post(signed(body))).status).toBe(200);
    const rows = await test.database.kysely.selectFrom('webhook_inbox').selectAll().execute();
    expect(rows).toMatchObject([{ state: 'quarantined' }]);
    expect(rows[0]?.state_reason).toBeTruthy();
  });

  it('split inside a multibyte character is accepted, and its bytes are stored exactly', async () => {
    const event = stripeEvent();
    const inside = event.body.indexOf(Buffer.from('🚚')) + 2;
    const connection = await openRaw(ingest.port);
    const bytes = onTheWire(event);
    const cut = bytes.length - event.body.length + inside;
    connection.write(bytes.subarray(0, cut));
    // Another request is answered in between, so the two halves are two reads of the ingestor's socket.
    await post(stripeEvent());
    connection.write(bytes.subarray(cut));
    expect((await connection.answer()).status).toBe(200);
    expect((await storedRows(test.database, event.eventId))[0]?.body).toEqual(event.body);
  });

  it('keeps only an allow-list of its headers: no credentials, no cookies, no signature, no address', async () => {
    const event = stripeEvent();
    const lines = [
      'Connection: close',
      'User-Agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'X-Request-Id: req_1',
      'Authorization: Basic c2VjcmV0',
      'Cookie: session=secret',
      'X-Forwarded-For: 192.0.2.1',
    ];
    await talk(ingest.port, onTheWire(event, { lines }));
    expect(await storedRows(test.database, event.eventId)).toMatchObject([
      { content_type: expect.stringContaining('json') },
    ]);
    expect((await storedRows(test.database, event.eventId))[0]?.headers).toEqual({
      'content-length': String(event.body.length),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'x-request-id': 'req_1',
    });
  });

  it('tries each line of a doubled signature header', async () => {
    const wrong = 'Stripe-Signature: t=1,v1=00';
    const first = stripeEvent();
    const last = stripeEvent();
    const before = onTheWire(first).toString('latin1').replace('\r\nHost', `\r\n${wrong}\r\nHost`);
    const after = onTheWire(last, { lines: [wrong, 'Connection: close'] });
    expect((await talk(ingest.port, Buffer.from(before, 'latin1'))).answers[0]?.status).toBe(200);
    expect((await talk(ingest.port, after)).answers[0]?.status).toBe(200);
  });

  const folder = fixturesFolder();
  it.skipIf(folder === null)(
    'is never answered with our own fault, however hostile its body (skipped without the fixtures beside this repository)',
    async () => {
      const names = readdirSync(join(folder ?? '', '_hostile')).filter((name) => name !== 'manifest.json');
      expect(names.length).toBeGreaterThan(15);
      for (const name of names) {
        const body = readFileSync(join(folder ?? '', '_hostile', name));
        expect([name, (await post(signed(body))).status]).toEqual([name, 200]);
      }
    },
  );
});

describe('a delivery that does not verify', () => {
  it.each([
    ['without a signature', (event: SignedRequest) => ({ ...event, headers: { 'Content-Type': 'application/json' } })],
    ['signed with another secret', (event: SignedRequest) => signed(event.body, connectSecret)],
    ['re-serialised on the way', (event: SignedRequest) => ({ ...event, body: reserialised(event.body) })],
    [
      'with one byte more',
      (event: SignedRequest) => ({ ...event, body: Buffer.concat([event.body, Buffer.from('\n')]) }),
    ],
    ['signed too long ago', (event: SignedRequest) => signed(event.body, billingSecret, Date.now() - 600_000)],
    ['signed in the future', (event: SignedRequest) => signed(event.body, billingSecret, Date.now() + 600_000)],
  ])('%s is answered 401 without a reason, and nothing of it is stored', async (_what, spoil) => {
    const answer = await post(spoil(stripeEvent()));
    expect(answer.status).toBe(401);
    expect(answer.body).toBe('');
    expect([...answer.headers.values()].join(' ')).not.toMatch(/signature|timestamp/i);
    expect(await countRows(test.database)).toBe(0);
  });

  it('says why in the log and in the metrics, without its payload or signature', async () => {
    const event = stripeEvent({ data: { object: { id: 'in_1', customer_email: 'jane@example.com' } } });
    const wrong = signed(event.body, connectSecret);
    await post(wrong);
    const line = await ingest.process.waitForLine('signature_mismatch');
    expect(line).toContain('billing');
    const signature = wrong.headers['Stripe-Signature'] ?? wrong.headers['stripe-signature'] ?? '';
    const digest = /v1=([0-9a-f]+)/.exec(signature)?.[1] ?? 'no digest';
    expect(digest).toHaveLength(64);
    for (const kept of ingest.process.lines) {
      expect(kept).not.toContain(digest);
      expect(kept).not.toContain('jane@example.com');
    }
    expect(await ingest.metrics()).toMatch(/reason="signature_mismatch"/);
  });
});

it('whatever is posted, the number of series stays the same', async () => {
  const paths = (from: number) =>
    Array.from({ length: 30 }, (_, number) => `/webhooks/p${from + number}/e${from + number}`);
  const probe = async (path: string) => {
    await talk(ingest.port, onTheWire(stripeEvent({ type: path.slice(1) }), { path }));
    await post(stripeEvent({ type: path.slice(1), account: path }));
    await talk(ingest.port, `NONSENSE ${path}\r\n\r\n`);
  };
  for (const path of paths(0)) await probe(path);
  const before = seriesIn(await ingest.metrics());
  for (const path of paths(100)) await probe(path);
  expect(before).toBeGreaterThan(100);
  expect(seriesIn(await ingest.metrics())).toBe(before);
});

function seriesIn(metrics: string): number {
  return metrics.split('\n').filter((line) => line.startsWith('mailroom_')).length;
}

async function post(request: SignedRequest, path = '/webhooks/stripe/billing'): Promise<RawAnswer> {
  const { answers, rest } = await talk(ingest.port, onTheWire(request, { path }));
  expect(rest).toBe('');
  const [answer] = answers;
  if (!answer) throw new Error('closed without an answer');
  return answer;
}

/** What a middleware makes of a body that it parses and writes again. */
function reserialised(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8')), null, 2));
}
