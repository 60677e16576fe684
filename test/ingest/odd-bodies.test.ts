import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { providers, type SignedDelivery, schemeOf } from '@mailroom/providers';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runMailroom } from '../ops/run-mailroom.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fixturesFolder } from '../support/fixtures-folder.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows, storedRows } from './ledger.ts';
import { openRaw, talk } from './raw-http.ts';
import { onTheWire, type SignedRequest, signed, stripeEvent } from './signed-request.ts';

const folder = fixturesFolder();
const variableOf = (name: string) => `ODD_${name.toUpperCase().replaceAll('-', '_')}`;
// With a private key alone can its deliveries be signed.
const signable = providers.filter(({ name }) => name !== 'paypal');

let test: TestDatabase;
let ingest: IngestProcess;
beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({
    databaseUrl: test.url,
    endpoints: [
      ...signable.map(({ name, example }) => ({
        provider: name,
        endpoint: 'odd',
        secrets: [`env:${variableOf(name)}`],
        options: example.options,
      })),
      {
        provider: 'stripe',
        endpoint: 'billing',
        secrets: ['env:BILLING_TEST_SECRET'],
        maxBodyBytes: 26 * 1024 * 1024,
      },
    ],
    env: {
      ...Object.fromEntries(signable.map(({ name, example }) => [variableOf(name), example.secrets[0]])),
      // 25 MB are written in more than a moment on a busy machine.
      INGEST_ANSWER_DEADLINE_MS: '5000',
    },
  });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});
beforeEach(() => emptyInbox(test.database));

describe.skipIf(folder === null)('hostile bodies (skipped without the fixtures beside this repository)', () => {
  const hostile = manifest();

  it('are all there', () => {
    expect(hostile.length).toBeGreaterThanOrEqual(20);
    expect(signable.length).toBeGreaterThanOrEqual(15);
  });

  it.each(signable)(
    '$name: each ends as 200, one row, the same bytes, JSON or the reason for none',
    async (provider) => {
      const scheme = schemeOf(provider.name, provider.example.options);
      let sent = 0;
      for (const { file, body } of hostile) {
        const delivery = scheme.sign(body, provider.example.secrets[0], Date.now());
        // Where the signature is part of a JSON body, other bodies have none.
        if (delivery === null) continue;
        sent += 1;
        expect([file, await post(`/webhooks/${provider.name}/odd`, delivery)]).toEqual([file, 200]);
        const rows = await shownRows();
        // Marqeta sends an object of arrays: each member of any object is an event, all of the one delivery.
        expect([file, provider.name === 'marqeta' ? rows.length > 0 : rows.length === 1]).toEqual([file, true]);
        const stored = await test.database.kysely.selectFrom('webhook_delivery').select('body').execute();
        expect([file, stored.map((row) => sha256(row.body))]).toEqual([file, [sha256(delivery.body)]]);
        const areExplained = rows.every((row) => row.payload !== null || row.payload_problem !== null);
        expect([file, areExplained]).toEqual([file, true]);
        await emptyInbox(test.database);
      }
      expect(sent).toBeGreaterThanOrEqual(hostile.length - 1);
    },
  );

  it('are shown by the command line, each, and given back byte by byte', { timeout: 300_000 }, async () => {
    for (const { file, body } of hostile) {
      expect(await post('/webhooks/stripe/odd', signed(body, stripeSecret()))).toBe(200);
      const [row] = await test.database.kysely.selectFrom('webhook_inbox').select('event_id').execute();
      const key = `stripe/odd/${row?.event_id}`;
      const [shown, given] = await Promise.all([
        runMailroom(['show', key], { url: test.url }),
        runMailroom(['body', key], { url: test.url }),
      ]);
      expect([file, shown.code, given.code]).toEqual([file, 0, 0]);
      expect([file, sha256(given.bytes)]).toEqual([file, sha256(body)]);
      await emptyInbox(test.database);
    }
  });
});

describe('a body in another charset or form', () => {
  const { body } = stripeEvent();
  it.each([
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]), 'pending'],
    ['CRLF line ends', Buffer.from(pretty(body).replaceAll('\n', '\r\n')), 'pending'],
    ['ISO-8859-1', Buffer.from('{"object":"event","id":"evt_1","type":"a","name":"Zo\xeb"}', 'latin1'), 'quarantined'],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body.toString(), 'utf16le')]), 'quarantined'],
    ['UTF-16, big-endian', Buffer.from(body.toString(), 'utf16le').swap16(), 'quarantined'],
  ])('%s is kept as it came', async (_what, odd, state) => {
    expect(await post('/webhooks/stripe/billing', signed(odd))).toBe(200);
    const [row, ...others] = await shownRows();
    expect(others).toEqual([]);
    expect(row?.state).toBe(state);
    expect(row?.body).toEqual(odd);
    expect(state === 'pending' ? row?.payload : row?.payload_problem).toBeTruthy();
  });
});

describe('a compressed body', () => {
  const gzip = { 'Content-Encoding': 'gzip' };

  it('that was signed compressed is verified and stored as it came, and read', async () => {
    const event = stripeEvent();
    const zipped = gzipSync(event.body);
    expect(await post('/webhooks/stripe/billing', withHeaders(signed(zipped), gzip))).toBe(200);
    const [row] = await storedRows(test.database, event.eventId);
    expect(row).toMatchObject({ event_type: 'invoice.paid', state: 'pending', body: zipped });
    expect(row?.headers).toMatchObject({ 'content-encoding': 'gzip' });
  });

  it('that was signed before it was compressed is verified and stored inflated', async () => {
    const event = stripeEvent();
    const zipped = withHeaders({ ...event, body: gzipSync(event.body) }, gzip);
    expect(await post('/webhooks/stripe/billing', zipped)).toBe(200);
    const [row] = await storedRows(test.database, event.eventId);
    expect(row).toMatchObject({ state: 'pending', body: event.body });
    expect(row?.headers).not.toHaveProperty('content-encoding');
  });

  it('that inflates beyond the limit is told 413, and what is no gzip or not signed at all 401', async () => {
    const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(40_000);
    const forged = signed(bomb, 'whsec_nobody0knows0this0secret0at0all');
    expect(await post('/webhooks/stripe/billing', withHeaders(forged, gzip))).toBe(413);
    const broken = withHeaders({ ...stripeEvent(), body: Buffer.from([0x1f, 0x8b, 8, 0]) }, gzip);
    expect(await post('/webhooks/stripe/billing', broken)).toBe(401);
    const unsigned = { eventId: '', body: gzipSync(stripeEvent().body), headers: gzip };
    expect(await post('/webhooks/stripe/billing', unsigned)).toBe(401);
    expect(await countRows(test.database)).toBe(0);
  });

  it('that was signed as a bomb is kept, and quarantined', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024));
    expect(await post('/webhooks/stripe/billing', withHeaders(signed(bomb), gzip))).toBe(200);
    expect(await shownRows()).toMatchObject([{ state: 'quarantined', body: bomb }]);
  });
});

describe('headers', () => {
  it('3,000 of them before the signature hide it not', async () => {
    const lines = [...Array(3000).fill('x:'), 'Connection: close'];
    const { headers, ...event } = stripeEvent();
    const bare = onTheWire({ ...event, headers: {} }, { lines });
    const signature = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const at = bare.indexOf('Connection: close');
    const request = Buffer.concat([bare.subarray(0, at), Buffer.from(signature.join('')), bare.subarray(at)]);
    expect((await talk(ingest.port, request)).answers[0]?.status).toBe(200);
  });

  it('10,000 of them are told 431, and the next delivery is taken', async () => {
    const lines = [...Array(10_000).keys()].map((number) => `x-${number}: y`);
    expect((await talk(ingest.port, onTheWire(stripeEvent(), { lines }))).answers[0]?.status).toBe(431);
    expect(await post('/webhooks/stripe/billing', stripeEvent())).toBe(200);
  });

  it('of the signature are each tried, up to a bound', async () => {
    const wrong = (count: number) => Array<string>(count).fill(`Stripe-Signature: t=1,v1=${'0'.repeat(64)}`);
    const among = (count: number) => {
      const lines = [...wrong(count), 'Connection: close'];
      // The good line comes first in `headers`, so it is moved behind the wrong ones.
      const { headers, ...event } = stripeEvent();
      const good = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      return onTheWire({ ...event, headers: {} }, { lines: [...lines.slice(0, -1), ...good, 'Connection: close'] });
    };
    expect((await talk(ingest.port, among(2))).answers[0]?.status).toBe(200);
    expect((await talk(ingest.port, among(100))).answers[0]?.status).toBe(401);
  });
});

it('a request cut in two TCP segments at any of its bytes is accepted, and its bytes are whole', async () => {
  const event = stripeEvent({ data: { object: { id: 'in_1', object: 'invoice', name: 'Zoë 🚚' } } });
  const bytes = onTheWire(event);
  const cuts = [...Array(bytes.length - 1).keys()].map((at) => at + 1);
  expect(cuts.length).toBeGreaterThan(300);
  for (let from = 0; from < cuts.length; from += 100) {
    const halves = await Promise.all(
      cuts.slice(from, from + 100).map(async (cut) => ({ cut, connection: await openRaw(ingest.port) })),
    );
    for (const { cut, connection } of halves) connection.write(bytes.subarray(0, cut));
    // Answered after the first halves were read, so the second ones are other segments.
    await talk(ingest.port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    for (const { cut, connection } of halves) connection.write(bytes.subarray(cut));
    const statuses = await Promise.all(halves.map(async ({ connection }) => (await connection.answer()).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  const rows = await storedRows(test.database, event.eventId);
  expect(rows.map(({ body }) => body)).toEqual([event.body]);
});

it('a body of 25 MB is stored where the endpoint allows it', async () => {
  const event = stripeEvent({ filler: 'x'.repeat(25 * 1024 * 1024) });
  // A machine that is busy may miss the answer deadline; then it is sent again, as a provider would.
  await waitFor('it to be accepted', async () => (await post('/webhooks/stripe/billing', event)) === 200, {
    deadlineMs: 40_000,
  });
  const rows = await storedRows(test.database, event.eventId);
  expect(rows.map(({ body }) => sha256(body))).toEqual([sha256(event.body)]);
});

async function post(path: string, request: SignedDelivery | SignedRequest): Promise<number | undefined> {
  const { answers } = await talk(ingest.port, onTheWire({ eventId: '', ...request }, { path }));
  return answers[0]?.status;
}

function withHeaders(request: SignedRequest, more: SignedRequest['headers']): SignedRequest {
  return { ...request, headers: { ...request.headers, ...more } };
}

/** What people see who query. */
async function shownRows() {
  return await test.database.kysely
    .selectFrom('webhook_events')
    // As text: a JSON null is a projection too.
    .select(['state', 'body', sql<string | null>`payload::text`.as('payload'), 'payload_problem'])
    .execute();
}

function manifest(): readonly { readonly file: string; readonly body: Buffer }[] {
  if (folder === null) return [];
  const listed = JSON.parse(readFileSync(join(folder, '_hostile/manifest.json'), 'utf8')) as { file: string }[];
  return listed.map(({ file }) => ({ file, body: readFileSync(join(folder, '_hostile', file)) }));
}

function stripeSecret(): string {
  return providers.find(({ name }) => name === 'stripe')?.example.secrets[0] ?? '';
}

function sha256(bytes: Buffer | null | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

function pretty(body: Buffer): string {
  return JSON.stringify(JSON.parse(body.toString()), null, 2);
}
