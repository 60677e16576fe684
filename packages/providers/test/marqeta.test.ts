import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { hmac } from '../src/match-hmac.ts';
import { expectStorable } from './named-event.ts';
import { bitFlips } from './property.ts';
import { request } from './request.ts';
import { fixture, fixturesAreAbsent } from './shared-fixtures.ts';

interface Vector {
  readonly name: string;
  readonly provider: string;
  readonly secret: string;
  readonly basic_auth: { readonly username: string; readonly password: string };
  readonly body_file: string;
  readonly headers: Readonly<Record<string, string>>;
}

const scheme = schemeOf('marqeta');
const context = { deliveryId: '0198c0de-0000-7000-8000-000000000001', secret: null };
const user = 'my_username:my_Password-of-30.characters';
const key = 'marqeta-key-2026-of-20+';
const body = Buffer.from('{"transactions":[{"token":"t1","type":"authorization","card_token":"c1"}]}');

describe.skipIf(fixturesAreAbsent)('vectors made from the documentation, for Marqeta publishes none', () => {
  const vectors = vectorsOf();

  test('all of them are there', () => {
    expect(vectors.length).toBe(4);
  });

  test.each(vectors)('$name', async (vector) => {
    const bytes = fixture(vector.body_file);
    const { username, password } = vector.basic_auth;
    const secrets = [
      { label: 'foreign', value: `${username}:another_Password-of-30.chars another-key-of-20-chars` },
      { label: 'right', value: `${username}:${password} ${vector.secret}` },
    ];
    const outcomeOf = async (changed: Buffer, headers = vector.headers) =>
      scheme.verify(request(changed, headers), secrets, { nowMs: 0, toleranceMs: 0 });
    expect(await outcomeOf(bytes)).toEqual({ outcome: 'verified', secretLabel: 'right' });
    for (const flip of bitFlips(bytes.subarray(0, 200))) {
      const changed = Buffer.concat([flip, bytes.subarray(200)]);
      expect((await outcomeOf(changed)).outcome).toBe('rejected');
    }
    for (const name of ['Authorization', 'X-Marqeta-Signature']) {
      for (const flip of bitFlips(Buffer.from(vector.headers[name] ?? '', 'latin1'))) {
        const headers = { ...vector.headers, [name]: flip.toString('latin1') };
        expect((await outcomeOf(bytes, headers)).outcome).toBe('rejected');
      }
      const { [name]: _left, ...without } = vector.headers;
      expect(await outcomeOf(bytes, without)).toMatchObject({ reason: 'signature_missing' });
    }
  });
});

describe('credentials and keys', () => {
  test('of a rotation go together in any pairing, and both labels are told', () => {
    const secrets = { old: `${user} old-key-of-20-characters`, new: `my_username:a_New.Password-of-30.charact ${key}` };
    const basicOfNew = scheme.sign(body, secrets.new, 0)?.headers['authorization'] ?? '';
    const signatureOfOld = scheme.sign(body, secrets.old, 0)?.headers['x-marqeta-signature'] ?? '';
    expect(verify({ authorization: basicOfNew, 'x-marqeta-signature': signatureOfOld }, secrets)).toEqual({
      outcome: 'verified',
      secretLabel: 'new+old',
    });
  });

  test('without a key are enough alone, also beside the same ones with a key while retries still come unsigned', () => {
    const { authorization = '' } = scheme.sign(body, user, 0)?.headers ?? {};
    expect(verify({ authorization }, { plain: user })).toMatchObject({ secretLabel: 'plain' });
    expect(verify({ authorization }, { signed: `${user} ${key}`, plain: user })).toMatchObject({
      secretLabel: 'plain',
    });
    expect(verify({ authorization }, { signed: `${user} ${key}` })).toMatchObject({ reason: 'signature_missing' });
  });

  test('are both needed: a right signature under wrong credentials is refused', () => {
    const { 'x-marqeta-signature': signature = '' } = scheme.sign(body, `${user} ${key}`, 0)?.headers ?? {};
    const { authorization = '' } = scheme.sign(body, 'other:other_Password-of-30.charact', 0)?.headers ?? {};
    const headers = { authorization, 'x-marqeta-signature': signature };
    expect(verify(headers, { right: `${user} ${key}` })).toMatchObject({ reason: 'signature_mismatch' });
    expect(verify({ 'x-marqeta-signature': signature }, { right: `${user} ${key}` })).toMatchObject({
      reason: 'signature_missing',
    });
  });

  test('may sign with SHA-1 or SHA-256', () => {
    const { authorization = '' } = scheme.sign(body, user, 0)?.headers ?? {};
    for (const algorithm of ['sha1', 'sha256'] as const) {
      const signature = hmac(algorithm, key, [body]).toString('hex');
      const headers = { authorization, 'x-marqeta-signature': signature };
      expect(verify(headers, { right: `${user} ${key}` })).toMatchObject({ outcome: 'verified' });
    }
  });

  test('of the wrong form are refused at the start', () => {
    for (const value of [
      '',
      'user',
      'user:short',
      `user: ${key}`,
      `${user} short`,
      `${user}  ${key}`,
      `${user} ${key} x`,
    ]) {
      expect(scheme.secretProblem(value)).not.toBeNull();
    }
    expect(scheme.secretProblem('user:with:colons:in-the-Password-1')).toBeNull();
  });
});

describe('a message', () => {
  test('that is a ping is answered and not stored', () => {
    expect(read('{"pings":[{"token":"marqeta","payload":"healthcheck"}]}')).toEqual({
      outcome: 'handshake',
      name: 'ping',
      answer: { status: 200 },
    });
    expect(read('{"transactions":[]}')).toMatchObject({ outcome: 'handshake', name: 'empty_batch' });
  });

  test.skipIf(fixturesAreAbsent)('of ten is ten events, each where it stands', () => {
    const events = eventsOf(scheme.read(request(fixture('marqeta/transactions.batch10.json'), {}), context));
    expect(events.length).toBe(10);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(10);
    expect(events.map(({ itemPath }) => itemPath)).toEqual(
      Array.from({ length: 10 }, (_, at) => ['transactions', String(at)]),
    );
  });

  test('loses nothing of several categories, known or not, nor of 2,000 items', () => {
    const many = Array.from({ length: 2000 }, (_, at) => ({
      token: `t${at}`,
      type: 'authorization',
      card_token: 'c1',
    }));
    const events = eventsOf(
      read(
        JSON.stringify({
          transactions: many,
          cardtransitions: [{ token: 'ct1', type: 'state.activated', card_token: 'c1' }],
          usertransitions: [{ token: 'ut1', status: 'ACTIVE', user_token: 'u1', created_time: '2026-01-10T10:00:00Z' }],
          somethingnew: [{ token: 'n1' }],
          pings: [{ token: 'marqeta' }],
        }),
      ),
    );
    expect(events.length).toBe(2003);
    expect(events.slice(1999)).toMatchObject([
      { eventId: 'transactions/t1999', eventType: 'transactions.authorization', objectKey: 'card/c1' },
      { eventId: 'cardtransitions/ct1', eventType: 'cardtransitions.state.activated' },
      {
        eventId: 'usertransitions/ut1',
        eventType: 'usertransitions.ACTIVE',
        objectKey: 'user/u1',
        providerTime: new Date('2026-01-10T10:00:00Z'),
      },
      { eventId: 'somethingnew/n1', eventType: 'somethingnew', objectKey: null },
    ]);
  });

  test('takes in whole what is no array of items with a token', () => {
    const reading = read('{"version":2,"meta":{"a":1},"mixed":[{"token":"m1"},7],"plain":[1,2]}');
    expectStorable(reading);
    expect(eventsOf(reading).map(({ eventType, itemPath }) => [eventType, itemPath])).toEqual([
      ['version', ['version']],
      ['meta', ['meta']],
      ['mixed', ['mixed', '0']],
      ['mixed', ['mixed', '1']],
      ['plain', ['plain']],
    ]);
  });

  test('that names two different things with one token keeps both, and one thing said twice once', () => {
    const item = { token: 't1', type: 'authorization' };
    const reading = read(JSON.stringify({ transactions: [item, { ...item, amount: 2 }, item] }));
    expectStorable(reading);
    expect(eventsOf(reading).map(({ eventId }) => eventId)).toEqual([
      'transactions/t1',
      expect.stringMatching(/^sha256:[0-9a-f]{64}\/transactions\/1$/),
    ]);
  });

  test.each(['[]', '7', 'null', '{}', '', 'x'])('that is %j is quarantined', (text) => {
    expect(read(text)).toMatchObject({ outcome: 'unreadable' });
  });

  test('with a category that no column can hold points to the whole body', () => {
    const reading = read(JSON.stringify({ ['x'.repeat(300)]: [{ token: 't' }], '': 1, 'a\0': [{ token: 't' }] }));
    expectStorable(reading);
    expect(eventsOf(reading).map(({ itemPath }) => itemPath)).toEqual([null, null, null]);
  });
});

function verify(headers: Readonly<Record<string, string>>, values: Readonly<Record<string, string>>) {
  const secrets = Object.entries(values).map(([label, value]) => ({ label, value }));
  const verification = scheme.verify(request(body, headers), secrets, { nowMs: 0, toleranceMs: 0 });
  if (verification instanceof Promise) throw new Error('this scheme fetches nothing');
  return verification;
}

function read(text: string) {
  return scheme.read(request(Buffer.from(text), {}), context);
}

function eventsOf(reading: ReturnType<typeof scheme.read>) {
  return reading.outcome === 'events' ? reading.events : [];
}

function vectorsOf(): readonly Vector[] {
  if (fixturesAreAbsent) return [];
  const { vectors } = JSON.parse(fixture('_selfmade/vectors.selfmade.json').toString()) as { vectors: Vector[] };
  return vectors.filter(({ provider }) => provider === 'marqeta');
}
