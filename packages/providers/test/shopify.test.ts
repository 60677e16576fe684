import * as fc from 'fast-check';
// oxlint-disable-next-line import/no-unassigned-import -- teaches Shopify's library to read requests of Node
import '@shopify/shopify-api/adapters/node';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { expectStorable } from './named-event.ts';
import { bitFlips, holdsAsync } from './property.ts';
import { request } from './request.ts';
import { fixture, fixtureFiles, fixturesAreAbsent } from './shared-fixtures.ts';

interface Vector {
  readonly name: string;
  readonly secret?: string;
  readonly secrets?: readonly string[];
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: 'valid' | 'invalid';
}

const scheme = schemeOf('shopify');
const options = { nowMs: 0, toleranceMs: 0 };
const context = { deliveryId: '0198c0de-0000-7000-8000-000000000001', secret: null };
const claims = {
  'x-shopify-topic': 'orders/create',
  'x-shopify-shop-domain': 'example.myshopify.com',
  'x-shopify-api-version': '2026-10',
  'x-shopify-webhook-id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
};

describe.skipIf(fixturesAreAbsent)('vectors published by Shopify', () => {
  const vectors = vectorsOf();

  test('all of them are there', () => {
    expect(vectors.length).toBe(10);
    expect(vectors.filter(({ expected }) => expected === 'valid').length).toBe(4);
  });

  test.each(vectors)('$name: $expected', async (vector) => {
    // Of several secrets the vector's last is the one that signed.
    const { delivery, secrets, signer } = given(vector);
    expect(await scheme.verify(delivery, secrets, options)).toMatchObject(
      vector.expected === 'valid' ? { outcome: 'verified', secretLabel: signer } : { outcome: 'rejected' },
    );
  });

  test.each(vectors.filter(({ expected }) => expected === 'valid'))('$name: no bit can change', async (vector) => {
    const { delivery, secrets } = given(vector);
    const flips = bitFlips(delivery.body);
    expect(flips.length).toBeGreaterThan(10);
    for (const body of flips) {
      expect((await scheme.verify({ ...delivery, body }, secrets, options)).outcome).toBe('rejected');
    }
  });

  function given(vector: Vector) {
    const values = vector.secrets ?? [vector.secret ?? ''];
    const secrets = values.map((value) => ({ label: value, value }));
    return { secrets, signer: values.at(-1), delivery: request(Buffer.from(vector.body), vector.headers) };
  }
});

test("Shopify's own library agrees, whatever the family of the headers", async () => {
  const secret = 'shpss_0123456789abcdef0123456789abcdef';
  const official = shopifyApi({
    apiKey: 'key',
    apiSecretKey: secret,
    hostName: 'example.test',
    apiVersion: ApiVersion.October26,
    isEmbeddedApp: false,
    logger: { log: () => undefined },
  });
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  await holdsAsync(fc.tuple(text, fc.boolean(), fc.boolean()), async ([body, isEvent, isRight]) => {
    const signed = scheme.sign(Buffer.from(body), isRight ? secret : `${secret}0`, 0);
    const signature = signed?.headers['x-shopify-hmac-sha256'] ?? '';
    const headers = Object.fromEntries(
      Object.entries({ ...claims, 'x-shopify-hmac-sha256': signature }).map(([name, value]) => [
        isEvent ? name.slice('x-'.length) : name,
        value,
      ]),
    );
    const theirs = await official.webhooks.validate({
      rawBody: body,
      rawRequest: { method: 'POST', url: '/webhooks', headers },
      rawResponse: {},
    });
    const delivery = request(Buffer.from(body), headers);
    const ours = await scheme.verify(delivery, [{ label: 'only', value: secret }], options);
    expect(ours.outcome === 'verified').toBe(isRight);
    expect(theirs.valid).toBe(isRight);
  });
});

describe.skipIf(fixturesAreAbsent)('bodies of Shopify', () => {
  const expected: Readonly<Record<string, readonly [topic: string, objectKey: string]>> = {
    'app-uninstalled.json': ['app/uninstalled', 'shop'],
    'customers-data_request.json': ['customers/data_request', 'customers/191167'],
    'customers-redact.json': ['customers/redact', 'customers/191167'],
    'inventory_levels-update.json': ['inventory_levels/update', 'inventory_levels/808950810/905684977'],
    'orders-cancelled.json': ['orders/cancelled', 'orders/450789469'],
    'orders-create.json': ['orders/create', 'orders/450789469'],
    'orders-paid.json': ['orders/paid', 'orders/450789469'],
    'orders-updated.json': ['orders/updated', 'orders/450789469'],
    'products-update.json': ['products/update', 'products/632910392'],
    'refunds-create.json': ['refunds/create', 'orders/450789469'],
    'shop-redact.json': ['shop/redact', 'shop'],
  };

  test('are all expected', () => {
    const files = fixtureFiles('shopify').filter((path) => !path.includes('/vectors/'));
    expect(files.map((path) => path.slice('shopify/'.length))).toEqual(Object.keys(expected).toSorted());
  });

  test.each(Object.entries(expected))(
    '%s is named by its headers and keyed by its object',
    (file, [topic, objectKey]) => {
      const reading = read(fixture(`shopify/${file}`), { 'x-shopify-topic': topic });
      expectStorable(reading);
      expect(reading).toMatchObject({
        outcome: 'events',
        events: [
          {
            eventId: claims['x-shopify-webhook-id'],
            eventType: topic,
            objectKey: `example.myshopify.com/${objectKey}`,
            account: 'example.myshopify.com',
            bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          },
        ],
      });
    },
  );
});

describe('what the headers claim', () => {
  const order = Buffer.from(
    '{"id":1,"admin_graphql_api_id":"gid://shopify/Order/1","updated_at":"2026-01-01T00:00:00Z"}',
  );

  test('names the event, in the older family or in that of "Events"', () => {
    const events = Object.fromEntries(Object.entries(claims).map(([name, value]) => [name.slice('x-'.length), value]));
    expect(scheme.read(request(order, events), context)).toEqual(read(order, {}));
  });

  test('and leaves a replayed body under a fresh id recognisable by its hash', () => {
    const [first] = eventsOf(read(order, {}));
    const [again] = eventsOf(read(order, { 'x-shopify-webhook-id': 'fresh' }));
    expect(again?.eventId).toBe('fresh');
    expect(again?.bodyHash).toBe(first?.bodyHash);
  });

  const refused = {
    'another shop': ['customers/redact', '{"shop_id":1,"shop_domain":"other.myshopify.com","customer":{"id":1}}'],
    'a topic that deletes, over an order': ['app/uninstalled', order.toString()],
    'a privacy topic, over an order': ['shop/redact', order.toString()],
    'a topic of another kind of object': ['products/update', order.toString()],
  } as const;

  test.each(Object.entries(refused))('is quarantined where the body contradicts it: %s', (_name, [topic, body]) => {
    expect(read(Buffer.from(body), { 'x-shopify-topic': topic })).toMatchObject({
      outcome: 'unreadable',
      event: { eventId: expect.stringMatching(/^sha256:/) },
    });
  });

  test('must name a topic; an id may be missing', () => {
    expect(scheme.read(request(order, {}), context)).toMatchObject({ outcome: 'unreadable' });
    const [event] = eventsOf(scheme.read(request(order, { 'x-shopify-topic': 'orders/create' }), context));
    expect(event?.eventId).toBe(`sha256:${event?.bodyHash}`);
  });
});

test('an id beyond 2^53 stays exact', () => {
  const [event] = eventsOf(read(Buffer.from('{"id":820982911946154508}'), {}));
  expect(event?.objectKey).toBe('example.myshopify.com/orders/820982911946154508');
});

function read(body: Buffer, headers: Readonly<Record<string, string>>) {
  return scheme.read(request(body, { ...claims, ...headers }), context);
}

function eventsOf(reading: ReturnType<typeof scheme.read>) {
  return reading.outcome === 'events' ? reading.events : [];
}

function vectorsOf(): readonly Vector[] {
  if (fixturesAreAbsent) return [];
  return (JSON.parse(fixture('shopify/vectors/vectors.json').toString()) as { vectors: Vector[] }).vectors;
}
