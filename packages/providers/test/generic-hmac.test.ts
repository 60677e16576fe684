import { describe, expect, test } from 'vitest';
import { findProvider, schemeOf } from '../src/index.ts';
import { request } from './request.ts';

const context = { deliveryId: 'd1', secret: null };
const signature = { header: 'X-Acme-Signature' };
const event = { type: '{type}' };

describe('options that are right', () => {
  test('a header and a type are enough: HMAC-SHA256 of the body in hex', async () => {
    const scheme = schemeOf('generic-hmac', { signature, event });
    const signed = scheme.sign(Buffer.from('{"type":"a"}'), 'the-secret', 0);
    expect(Object.keys(signed?.headers ?? {})).toEqual(['content-type', 'x-acme-signature']);
    const delivery = request(signed?.body ?? Buffer.of(), signed?.headers ?? {});
    const options = { nowMs: 0, toleranceMs: 1 };
    expect(await scheme.verify(delivery, [{ label: 'a', value: 'the-secret' }], options)).toMatchObject({
      outcome: 'verified',
    });
    expect(scheme.read(delivery, context)).toMatchObject({
      events: [{ eventId: expect.stringMatching(/^sha256:/) as unknown, eventType: 'a', objectKey: null }],
    });
  });

  test('they can say what Standard Webhooks says', async () => {
    const options = {
      signature: {
        header: 'webhook-signature',
        encoding: 'base64',
        separator: ' ',
        tag: 'v1,',
        content: '{id}.{timestamp}.{body}',
      },
      secret: { encoding: 'base64', prefix: 'whsec_' },
      timestamp: { header: 'webhook-timestamp' },
      idHeader: 'webhook-id',
      event: { id: '{header:webhook-id}', type: '{type}' },
    };
    const secret = `whsec_${Buffer.from('a key of some twenty bytes').toString('base64')}`;
    const standard = schemeOf('standard-webhooks');
    const signed = standard.sign(Buffer.from('{"type":"a"}'), secret, 1_790_000_000_000);
    const delivery = request(signed?.body ?? Buffer.of(), signed?.headers ?? {});
    const verification = await schemeOf('generic-hmac', options).verify(delivery, [{ label: 'a', value: secret }], {
      nowMs: 1_790_000_000_000,
      toleranceMs: 1000,
    });
    expect(verification).toMatchObject({ outcome: 'verified' });
  });

  test('the first template that can be filled names a thing', () => {
    const options = {
      signature,
      event: {
        ...event,
        id: ['{header:x-acme-id}', '{meta.id}/{seq}'],
        object: { by: '{type}', of: { a: 'things/{thing}', b: ['{none}', 'b/{list.1.id}'] } },
        time: ['{at}', '{created}'],
        testmode: '{test}',
      },
    };
    expect(
      read(options, {
        type: 'a',
        meta: { id: 'm' },
        seq: 7,
        thing: 12345678901234567890n,
        at: 1_790_000_000,
        test: true,
      }),
    ).toMatchObject({
      eventId: 'm/7',
      objectKey: 'things/12345678901234567890',
      providerTime: new Date(1_790_000_000_000),
      livemode: false,
    });
    expect(read(options, { type: 'b', list: [{}, { id: 'second' }], created: 1_790_000_000_123 })).toMatchObject({
      eventId: expect.stringMatching(/^sha256:/) as unknown,
      objectKey: 'b/second',
      providerTime: new Date(1_790_000_000_123),
      livemode: null,
    });
    expect(read(options, { type: '__proto__', at: 'yesterday' })).toMatchObject({
      objectKey: null,
      providerTime: null,
    });
  });

  test('a path leads to what stands in the body, never to what every object inherits', () => {
    expect(
      read(
        { signature, event: { ...event, object: ['{constructor.name}', '{list.length}'] } },
        { type: 'a', list: [1] },
      ),
    ).toMatchObject({
      objectKey: null,
    });
    expect(
      read({ signature, event: { ...event, object: '{__proto__.a}' } }, '{"type":"a","__proto__":{"a":"own"}}'),
    ).toMatchObject({
      objectKey: 'own',
    });
  });

  test('a signal is an event of its own at every delivery, also with the same bytes', () => {
    const scheme = schemeOf('generic-hmac', { signature, event: { ...event, signal: true, id: '{id}' } });
    const body = Buffer.from('{"type":"something.changed","id":"same"}');
    const ids = ['d1', 'd2'].map((deliveryId) => {
      const reading = scheme.read(request(body, {}), { deliveryId, secret: null });
      return reading.outcome === 'events' ? reading.events[0]?.eventId : null;
    });
    expect(ids).toEqual(['signal:d1', 'signal:d2']);
  });

  test('a batch loses nothing: what has no type is kept for a person, what comes twice is one event', () => {
    const scheme = schemeOf('generic-hmac', { signature, batch: 'data.items', event: { type: '{type}', id: '{id}' } });
    const items = [{ type: 'a', id: '1' }, { id: '2' }, 7, { type: 'a' }, { type: 'b', id: '1' }, null];
    const delivery = request(Buffer.from(JSON.stringify({ data: { items } })), {});
    const reading = scheme.read(delivery, context);
    expect(reading).toMatchObject({
      events: [
        { eventId: '1', eventType: 'a', itemPath: ['data', 'items', '0'] },
        { eventType: 'unreadable', itemPath: ['data', 'items', '1'], unreadable: expect.any(String) as unknown },
        { eventType: 'unreadable', itemPath: ['data', 'items', '2'] },
        { eventType: 'a', itemPath: ['data', 'items', '3'] },
        { eventType: 'unreadable', itemPath: ['data', 'items', '5'] },
      ],
    });
    // A retry is the same bytes, and so the same names.
    expect(scheme.read(delivery, { deliveryId: 'd2', secret: null })).toEqual(reading);
    expect(scheme.read(request(Buffer.from('{"data":{}}'), {}), context)).toMatchObject({ outcome: 'unreadable' });
  });

  test('an id from a header that nobody signs is a claim, and the hash of the body goes along', () => {
    const options = { signature, event: { ...event, id: '{header:x-acme-id}' } };
    const scheme = schemeOf('generic-hmac', options);
    expect(scheme.readsHeaders).toEqual(['x-acme-id']);
    const [one, two] = ['1', '2'].map((id) =>
      scheme.read(request(Buffer.from('{"type":"a"}'), { 'x-acme-id': id }), context),
    );
    expect(one).toMatchObject({ events: [{ eventId: '1', bodyHash: expect.any(String) as unknown }] });
    const hashes = [one, two].map((reading) => (reading?.outcome === 'events' ? reading.events[0]?.bodyHash : null));
    expect(new Set(hashes).size).toBe(1);
  });
});

describe('options that are wrong', () => {
  test.each([
    [{}, ['signature', 'event']],
    [{ signature: {}, event }, ['signature.header']],
    [{ signature: { header: 'x y' }, event }, ['signature.header']],
    [{ signature: { ...signature, algorithm: 'md5' }, event }, ['signature.algorithm']],
    [{ signature: { ...signature, encoding: 'HEX' }, event }, ['signature.encoding']],
    [{ signature: { ...signature, secret: 'x' }, event }, ['signature.secret']],
    [{ signature, event: {} }, ['event.type']],
    [{ signature, event: { type: '{type' } }, ['event.type']],
    [{ signature, event: { type: 7 } }, ['event.type']],
    [{ signature, event, batch: '{items}' }, ['batch']],
    // A signature that does not cover the body, or an age that it does not cover, is worth nothing.
    [{ signature: { ...signature, content: '{url}' }, event }, ['signature.content', 'url']],
    [{ signature: { ...signature, content: '{body}{body}' }, event }, ['signature.content']],
    [{ signature: { ...signature, content: '{nonce}{body}' }, event }, ['signature.content']],
    [{ signature: { ...signature, content: '{timestamp}.{body}' }, event }, ['timestamp']],
    [{ signature, timestamp: { header: 'x-time' }, event }, ['timestamp']],
    [{ signature: { ...signature, content: '{timestamp}{body}' }, timestamp: {}, event }, ['timestamp']],
    [{ signature: { ...signature, content: '{id}{body}' }, event }, ['idHeader']],
    [{ signature, url: 'https://hooks.example.com/acme', event }, ['url']],
    [{ signature, event, handshakes: [{ name: 'Ping!', when: {} }] }, ['handshakes.0.name']],
  ])('%j: %j', (options, places) => {
    const configured = findProvider('generic-hmac')?.configure(options);
    if (configured?.outcome !== 'invalid') throw new Error('was accepted');
    expect(configured.problems.map(({ path }) => path.join('.'))).toEqual(places);
    for (const { right } of configured.problems) expect(right).toMatch(/^[a-z].{5,}/);
  });

  test('Square needs the URL that it was told', () => {
    for (const options of [{}, { url: 'hooks.example.com' }, { url: 'http://hooks.example.com' }]) {
      expect(findProvider('square')?.configure(options)).toMatchObject({
        outcome: 'invalid',
        problems: [{ path: ['url'], right: 'the notification URL, exactly as it stands in Square' }],
      });
    }
  });
});

function read(options: Readonly<Record<string, unknown>>, body: unknown) {
  const text =
    typeof body === 'string'
      ? body
      : JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? '\u0001' + String(value) : value));
  const bytes = Buffer.from(text.replaceAll(/"\\u0001(\d+)"/g, '$1'));
  const reading = schemeOf('generic-hmac', options).read(request(bytes, {}), context);
  if (reading.outcome !== 'events') throw new Error(reading.outcome);
  return reading.events[0];
}
