import {
  findProvider,
  type Provider,
  providers,
  type Scheme,
  type SignedDelivery,
  schemeOf,
} from '@mailroom/providers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';

/** A sender that is known from the endpoints file alone. */
const acme = { provider: 'acme', scheme: 'generic-hmac', secrets: ['env:SECRET_GENERIC_HMAC'] };
const signals = { signature: { header: 'x-acme' }, event: { type: '{type}', signal: true } };
// Their signatures are made with a private key, so only they can send a sample.
const onlyTheySign = ['paypal'];

let test: TestDatabase;
let ingest: IngestProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({
    databaseUrl: test.url,
    endpoints: [
      ...providers.map(({ name, example }) => ({
        provider: name,
        endpoint: 'samples',
        secrets: [`env:${variableOf(name)}`],
        options: example.options,
      })),
      { ...acme, endpoint: 'orders', options: findProvider('generic-hmac')?.example.options ?? {} },
      { ...acme, endpoint: 'signals', options: signals },
    ],
    env: Object.fromEntries(providers.map(({ name, example }) => [variableOf(name), example.secrets[0]])),
  });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});
beforeEach(() => emptyInbox(test.database));

it('every provider of the registry is looked at', () => {
  expect(providers.length).toBeGreaterThanOrEqual(16);
  const silent = providers.filter((provider) => samplesOf(provider).some(({ delivery }) => delivery === null));
  expect(silent.map(({ name }) => name)).toEqual(onlyTheySign);
});

describe.each(providers.filter(({ name }) => !onlyTheySign.includes(name)))('$name', (provider) => {
  const scheme = schemeOf(provider.name, provider.example.options);

  it('has every sample stored, byte by byte, under the names it was given, and once however often it comes', async () => {
    for (const { name, delivery, eventTypes } of samplesOf(provider)) {
      if (delivery === null) throw new Error(`${name} cannot be signed`);
      for (const time of ['first', 'again']) {
        const answer = await post(`/webhooks/${provider.name}/samples`, delivery);
        expect([answer.status, answer.body], `${name}, ${time}`).toEqual([200, scheme.accepted?.body ?? '']);
      }
      const rows = await rowsOf(provider.name, 'samples');
      expect(rows.map(({ event_type: type }) => type).toSorted()).toEqual(eventTypes.toSorted());
      for (const row of rows)
        expect(row).toMatchObject({ state: 'pending', secret_label: variableOf(provider.name), body: delivery.body });
      await emptyInbox(test.database);
    }
  });

  it('is answered 401 with an empty body where the signature is wrong, and stores nothing', async () => {
    const [sample] = samplesOf(provider, provider.example.secrets[1]);
    const answer = await post(`/webhooks/${provider.name}/samples`, sample?.delivery ?? nothing);
    expect([answer.status, answer.body]).toEqual([401, '']);
    expect(await rowsOf(provider.name, 'samples')).toEqual([]);
  });
});

describe('a sender that only the endpoints file knows', () => {
  const scheme = schemeOf('generic-hmac', findProvider('generic-hmac')?.example.options);

  it('is received under its own name', async () => {
    const body = {
      id: 'acme_1',
      type: 'order.shipped',
      created_at: '2026-11-30T12:00:00Z',
      data: { kind: 'order', id: '7' },
    };
    expect((await post('/webhooks/acme/orders', sign(scheme, body))).status).toBe(200);
    expect(await rowsOf('acme', 'orders')).toMatchObject([
      {
        event_id: 'acme_1',
        event_type: 'order.shipped',
        object_key: 'order/7',
        provider_time: new Date('2026-11-30T12:00:00Z'),
      },
    ]);
  });

  it('has an event for each of two signals with the same bytes', async () => {
    const delivery = sign(schemeOf('generic-hmac', signals), { type: 'something.changed' });
    for (const time of ['first', 'again'])
      expect((await post('/webhooks/acme/signals', delivery)).status, time).toBe(200);
    const rows = await rowsOf('acme', 'signals');
    expect(rows.map(({ state }) => state)).toEqual(['pending', 'pending']);
    expect(new Set(rows.map(({ event_id: id }) => id)).size).toBe(2);
  });
});

describe('pings and challenges', () => {
  it.each([
    ['slack', { type: 'url_verification', challenge: 'the challenge' }, 'the challenge', 'text/plain; charset=utf-8'],
    ['xero', { events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'x' }, '', null],
    ['github', { zen: 'Keep it logically awesome.', hook_id: 1 }, '', null],
    [
      'zoom',
      { event: 'endpoint.url_validation', payload: { plainToken: 'abc' } },
      expect.stringMatching(/^\{"plainToken":"abc","encryptedToken":"[0-9a-f]{64}"\}$/) as unknown,
      'application/json',
    ],
  ])('%s is answered as it asks, and nothing is stored', async (name, body, answered, contentType) => {
    const signed = sign(schemeOf(name), body, findProvider(name)?.example.secrets[0]);
    const headers = { ...signed.headers, ...(name === 'github' ? { 'x-github-event': 'ping' } : {}) };
    const answer = await post(`/webhooks/${name}/samples`, { ...signed, headers });
    expect([answer.status, answer.contentType]).toEqual([200, contentType]);
    expect(answer.body).toEqual(answered);
    expect(await rowsOf(name, 'samples')).toEqual([]);
  });

  it('intent to receive of Xero is told a wrong signature with exactly 401', async () => {
    const body = { events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'x' };
    const wrong = sign(schemeOf('xero'), body, findProvider('xero')?.example.secrets[1]);
    expect(await post('/webhooks/xero/samples', wrong)).toEqual({
      status: 401,
      body: '',
      contentType: null,
      cookie: null,
    });
  });
});

describe('what nobody signed', () => {
  it('the headers that name an event of GitHub are kept, so that it can be read again', async () => {
    const provider = findProvider('github');
    const sample = provider?.samples['push'];
    const values = { tag: 'Kept', nowMs: Date.now() };
    const signed = sign(schemeOf('github'), sample?.body(values), provider?.example.secrets[0]);
    const headers = { ...signed.headers, ...sample?.headers?.(values), cookie: 'no=thanks' };
    expect((await post('/webhooks/github/samples', { ...signed, headers })).status).toBe(200);
    const [row] = await rowsOf('github', 'samples');
    expect(row?.headers).toMatchObject({ 'x-github-event': 'push', 'x-github-delivery': 'Kept-push-push' });
    expect(Object.keys(row?.headers as object)).not.toContain('cookie');
  });
});

const nothing: SignedDelivery = { body: Buffer.of(), headers: {} };

/** The samples of a provider as it would send them now, with the types of the events in each; null: nobody else can sign. */
function samplesOf(provider: Provider, secret: string = provider.example.secrets[0]) {
  const scheme = schemeOf(provider.name, provider.example.options);
  return Object.entries(provider.samples).map(([name, sample], index) => {
    const values = { tag: `Tag${index}`, nowMs: Date.now() };
    const signed = scheme.sign(Buffer.from(JSON.stringify(sample.body(values))), secret, values.nowMs);
    if (signed === null) return { name, delivery: null, eventTypes: [] };
    const delivery = { body: signed.body, headers: { ...sample.headers?.(values), ...signed.headers } };
    const headers = new Map(Object.entries(delivery.headers).map(([header, value]) => [header.toLowerCase(), [value]]));
    const reading = scheme.read({ body: delivery.body, headers }, { deliveryId: 'test', secret: null });
    const eventTypes = reading.outcome === 'events' ? reading.events.map(({ eventType }) => eventType) : [];
    return { name, delivery, eventTypes };
  });
}

function sign(
  scheme: Scheme,
  body: unknown,
  secret: string = findProvider('generic-hmac')?.example.secrets[0] ?? '',
): SignedDelivery {
  return scheme.sign(Buffer.from(JSON.stringify(body)), secret, Date.now()) ?? nothing;
}

async function post(path: string, { body, headers }: SignedDelivery) {
  const answer = await fetch(`http://127.0.0.1:${ingest.port}${path}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers,
  });
  return {
    status: answer.status,
    body: await answer.text(),
    contentType: answer.headers.get('content-type'),
    cookie: answer.headers.get('set-cookie'),
  };
}

async function rowsOf(provider: string, endpoint: string) {
  return await test.database.kysely
    .selectFrom('webhook_inbox as i')
    .innerJoin('webhook_delivery as d', 'd.delivery_id', 'i.delivery_id')
    .where('i.provider', '=', provider)
    .where('i.endpoint', '=', endpoint)
    .select(['i.event_id', 'i.event_type', 'i.object_key', 'i.provider_time', 'i.state', 'i.secret_label'])
    .select(['d.body', 'd.headers'])
    .execute();
}

function variableOf(provider: string): string {
  return `SECRET_${provider.replaceAll('-', '_').toUpperCase()}`;
}
