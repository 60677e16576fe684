import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { bitFlips, holds } from './property.ts';
import { request } from './request.ts';
import { fixture, fixturesAreAbsent } from './shared-fixtures.ts';

interface VectorFile {
  readonly body: string;
  readonly vectors: readonly Vector[];
}

interface Vector {
  readonly name: string;
  readonly secret?: string;
  readonly public_key?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
  readonly expected: 'valid' | 'invalid';
  readonly reason?: string;
}

const scheme = schemeOf('standard-webhooks');
const context = { deliveryId: '0198c0de-0000-7000-8000-000000000001', secret: null };
const nowMs = Date.now();
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = Buffer.from('{"type":"a.b","data":{"id":1}}');

describe.skipIf(fixturesAreAbsent)('vectors published for Standard Webhooks and Svix', () => {
  const file = vectorFile();

  test('all of them are there', () => {
    expect(file.vectors.length).toBe(12);
    expect(file.vectors.filter(({ expected }) => expected === 'valid').length).toBe(5);
    expect(file.vectors.filter(({ public_key: key }) => key !== undefined).length).toBe(2);
  });

  const reasons = { timestamp: /^timestamp_/, signature: /^signature_/ };

  test.each(file.vectors)('$name: $expected', async (vector) => {
    const { delivery, secrets, options } = given(vector);
    const reason = expect.stringMatching(
      vector.reason === 'timestamp' ? reasons.timestamp : reasons.signature,
    ) as string;
    expect(await scheme.verify(delivery, secrets, options)).toMatchObject(
      vector.expected === 'valid' ? { outcome: 'verified', secretLabel: 'published' } : { outcome: 'rejected', reason },
    );
  });

  test.each(file.vectors.filter(({ expected }) => expected === 'valid'))('$name: no bit can change', async (vector) => {
    const { delivery, secrets, options } = given(vector);
    const flips = bitFlips(delivery.body);
    expect(flips.length).toBe(20);
    for (const flip of flips) {
      expect((await scheme.verify({ ...delivery, body: flip }, secrets, options)).outcome).toBe('rejected');
    }
  });

  function given(vector: Vector) {
    const foreign = { label: 'foreign', value: 'whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgMzIgYnl0ZXM=' };
    const published = { label: 'published', value: vector.public_key ?? vector.secret ?? '' };
    return {
      delivery: request(Buffer.from(file.body), vector.headers),
      secrets: [foreign, published],
      options: { nowMs: vector.now * 1000, toleranceMs: 300_000 },
    };
  }
});

test('the official libraries agree, in both families of headers', async () => {
  const payload = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.startsWith('\ufeff')),
  );
  const id = fc.stringMatching(/^msg_[A-Za-z0-9]{1,40}$/);
  // The libraries read the clock themselves.
  const age = fc.integer({ min: -200, max: 200 });
  holds(fc.tuple(payload, id, age, fc.boolean()), ([text, messageId, seconds, isSvix]) => {
    const at = new Date(nowMs - seconds * 1000);
    const [Official, family] = isSvix ? [SvixWebhook, 'svix'] : [Webhook, 'webhook'];
    const headers = {
      [`${family}-id`]: messageId,
      [`${family}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
      [`${family}-signature`]: new Official(secret).sign(messageId, at, text),
    };
    expect(verify(Buffer.from(text), headers)).toMatchObject({ outcome: 'verified' });

    const ours = scheme.sign(Buffer.from(text), secret, at.getTime())?.headers ?? {};
    expect(() => new Webhook(secret).verify(text, ours)).not.toThrow(/signature|timestamp|header/i);
    expect(() => new SvixWebhook(secret).verify(text, ours)).not.toThrow(/signature|timestamp|header/i);
    expect(() => new Webhook(secret).verify(`${text} `, ours)).toThrow(/signature/);
  });
});

test('a v1a signature is made with a signing key and verified under its public key only', () => {
  const { signing, verifying } = newKeyPair();
  const other = newKeyPair();
  const headers = scheme.sign(body, signing, nowMs)?.headers ?? {};
  expect(headers['webhook-signature']).toMatch(/^v1a,/);
  expect(verify(body, headers, [verifying])).toMatchObject({ outcome: 'verified' });
  expect(verify(body, headers, [other.verifying, secret, verifying])).toMatchObject({ secretLabel: '2' });
  expect(verify(body, headers, [other.verifying, secret])).toMatchObject({ reason: 'signature_mismatch' });
  for (const flip of bitFlips(body)) expect(verify(flip, headers, [verifying]).outcome).toBe('rejected');
});

test('a timestamp of anything but digits is refused, also where the official library reads a number off it', () => {
  const headers = scheme.sign(body, secret, nowMs)?.headers ?? {};
  for (const suffix of ['abc', '.0', ' ', 'e0']) {
    const odd = { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}${suffix}` };
    expect(verify(body, odd)).toMatchObject({ reason: 'signature_malformed' });
  }
});

test('a captured Svix message beside a fresh webhook-id is not verified, so it cannot become a new event', () => {
  const signed = scheme.sign(body, secret, nowMs)?.headers ?? {};
  const captured = Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
  );
  expect(verify(body, captured)).toMatchObject({ outcome: 'verified' });
  expect(verify(body, { ...captured, 'webhook-id': 'msg_fresh' }).outcome).toBe('rejected');
  const fresh = { ...signed, 'webhook-id': [signed['webhook-id'] ?? '', 'msg_fresh'] };
  expect(verify(body, fresh)).toMatchObject({ reason: 'signature_malformed' });
});

test('equal bytes under two signed ids are two events, readable or not', () => {
  for (const bytes of [body, Buffer.from('not json')]) {
    const ids = ['msg_1', 'msg_2'].map((id) => {
      const reading = scheme.read(request(bytes, { 'webhook-id': id }), context);
      if (reading.outcome === 'unreadable') return reading.event.eventId;
      return reading.outcome === 'events' ? reading.events[0]?.eventId : null;
    });
    expect(ids).toEqual(['msg_1', 'msg_2']);
  }
});

test('secrets of the wrong form are refused at the start and match nothing', () => {
  const { signing } = newKeyPair();
  for (const value of ['', 'whsec_', 'whsec_short', 'whsec_!!!!', 'whpk_AAAA', signing]) {
    expect(scheme.secretProblem(value)).not.toBeNull();
    const headers = scheme.sign(body, 'whsec_', nowMs)?.headers ?? {};
    expect(verify(body, headers, [value]).outcome).toBe('rejected');
  }
});

function verify(
  bytes: Buffer,
  headers: Readonly<Record<string, string | string[]>>,
  values: readonly string[] = [secret],
) {
  const secrets = values.map((value, at) => ({ label: String(at), value }));
  const verification = scheme.verify(request(bytes, headers), secrets, { nowMs, toleranceMs: 300_000 });
  if (verification instanceof Promise) throw new Error('this scheme fetches nothing');
  return verification;
}

function newKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const bytes = (key: typeof publicKey, field: 'd' | 'x') =>
    Buffer.from(String(key.export({ format: 'jwk' })[field]), 'base64url');
  const x = bytes(publicKey, 'x');
  return {
    signing: `whsk_${Buffer.concat([bytes(privateKey, 'd'), x]).toString('base64')}`,
    verifying: `whpk_${x.toString('base64')}`,
  };
}

function vectorFile(): VectorFile {
  if (fixturesAreAbsent) return { body: '', vectors: [] };
  return JSON.parse(fixture('standard-webhooks/vectors/vectors.json').toString()) as VectorFile;
}
