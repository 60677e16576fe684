import { describe, expect, test } from 'vitest';
import type { HmacDefinition } from '../src/declarative/definition.ts';
import { signHmac } from '../src/declarative/sign-hmac.ts';
import { verifyHmac } from '../src/declarative/verify-hmac.ts';
import { request } from './request.ts';

const now = 1_790_000_000;
const body = Buffer.from('{"type":"x"}');
const wrong = '0'.repeat(64);
const secrets = [
  { label: 'new', value: 'a-new-secret' },
  { label: 'old', value: 'an-old-secret' },
];

const signature = { header: 'x-sig', algorithm: 'sha256', encoding: 'hex', content: '{body}' } as const;
const plain: HmacDefinition = { signature, event: { type: '{type}' } };
const listed: HmacDefinition = {
  signature: { ...signature, separator: ';', tag: 'h1=', content: '{timestamp}:{body}' },
  timestamp: { tag: 'ts=', unit: 's' },
  event: { type: '{type}' },
};

describe('the signature header', () => {
  test('may come in several lines, of which any can be the right one', () => {
    const right = headerOf(plain);
    for (const lines of [
      [wrong, right],
      [right, wrong],
      ['', 'nonsense', right],
      [`${wrong}, ${right}`],
      [`${right},${wrong}`],
    ]) {
      expect(verify(plain, { 'x-sig': lines })).toMatchObject({ outcome: 'verified' });
    }
  });

  test('may hold several signatures, of which any can be the right one', () => {
    const [ts, h1] = headerOf(listed).split(';');
    for (const line of [
      `${ts};h1=${wrong};${h1}`,
      `${ts};${h1};h1=${wrong}`,
      `h1=${wrong};${h1};${ts}`,
      `${ts};h2=zz;${h1}`,
    ]) {
      expect(verify(listed, { 'x-sig': line })).toMatchObject({ outcome: 'verified' });
    }
  });

  test('is not read without bound', () => {
    const right = headerOf(plain);
    const many = Array.from({ length: 2000 }, () => wrong);
    expect(verify(plain, { 'x-sig': [...many, right] })).toMatchObject({ reason: 'signature_mismatch' });
    expect(verify(plain, { 'x-sig': [...many, right].join(',') })).toMatchObject({ reason: 'signature_mismatch' });
  });

  test('has one spelling: case, padding, length and tag are as the provider writes them', () => {
    const right = headerOf(plain);
    for (const text of [right.toUpperCase(), `${right}00`, right.slice(2), `sha256=${right}`, '', ' ']) {
      expect(verify(plain, { 'x-sig': text })).toMatchObject({ reason: 'signature_malformed' });
    }
    const [ts, h1 = ''] = headerOf(listed).split(';');
    for (const entry of [h1.slice('h1='.length), h1.replace('h1', 'h2'), h1.replace('h1', 'H1')]) {
      expect(verify(listed, { 'x-sig': `${ts};${entry}` })).toMatchObject({ reason: 'signature_malformed' });
    }
  });

  test('missing is told apart from malformed', () => {
    expect(verify(plain, {})).toMatchObject({ reason: 'signature_missing' });
    expect(verify(plain, { 'x-sig': '' })).toMatchObject({ reason: 'signature_malformed' });
  });

  test.each(['sha1', 'sha256', 'sha512'] as const)('is verified with %s in hex and in base64', (algorithm) => {
    for (const encoding of ['hex', 'base64'] as const) {
      const definition = { ...plain, signature: { ...signature, algorithm, encoding } };
      expect(verify(definition, { 'x-sig': headerOf(definition) })).toMatchObject({ outcome: 'verified' });
      expect(verify(plain, { 'x-sig': headerOf(definition) }).outcome).toBe(
        algorithm === 'sha256' && encoding === 'hex' ? 'verified' : 'rejected',
      );
    }
  });
});

describe('the signed time', () => {
  test('may lie as far as the tolerance in the past and in the future, and no further', () => {
    for (const offset of [-300, 0, 300]) {
      expect(verify(listed, { 'x-sig': headerOf(listed, now + offset) })).toMatchObject({ outcome: 'verified' });
    }
    expect(verify(listed, { 'x-sig': headerOf(listed, now - 301) })).toMatchObject({ reason: 'timestamp_stale' });
    expect(verify(listed, { 'x-sig': headerOf(listed, now + 301) })).toMatchObject({ reason: 'timestamp_future' });
  });

  test('is judged only under a right signature', () => {
    expect(verify(listed, { 'x-sig': `ts=${now - 9000};h1=${wrong}` })).toMatchObject({ reason: 'signature_mismatch' });
  });

  test('is digits and nothing else', () => {
    const [, h1] = headerOf(listed).split(';');
    for (const ts of ['', `${now}abc`, `+${now}`, `${now}.0`, `-${now}`, '0x1', '1e9', '9'.repeat(15)]) {
      expect(verify(listed, { 'x-sig': `ts=${ts};${h1}` })).toMatchObject({ reason: 'signature_malformed' });
    }
  });

  test('may stand in a header of its own, in seconds or milliseconds, doubled or not', () => {
    for (const unit of ['s', 'ms'] as const) {
      const definition: HmacDefinition = {
        signature: { ...signature, tag: 'v0=', content: 'v0:{timestamp}:{body}' },
        timestamp: { header: 'x-time', unit },
        event: { type: '{type}' },
      };
      const { headers = {} } = signHmac(definition, body, 'a-new-secret', now * 1000) ?? {};
      expect(verify(definition, headers)).toMatchObject({ outcome: 'verified' });
      expect(verify(definition, { ...headers, 'x-time': ['1', headers['x-time'] ?? ''] })).toMatchObject({
        outcome: 'verified',
      });
      expect(verify(definition, { 'x-sig': headers['x-sig'] ?? '' })).toMatchObject({ reason: 'signature_malformed' });
    }
  });
});

describe('the signed id', () => {
  const definition: HmacDefinition = {
    signature: { ...signature, content: '{id}.{body}' },
    idHeader: 'x-id',
    event: { id: '{header:x-id}', type: '{type}' },
  };
  const { headers = {} } = signHmac(definition, body, 'a-new-secret', 0) ?? {};

  test('is verified, and cannot be another', () => {
    expect(verify(definition, headers)).toMatchObject({ outcome: 'verified' });
    expect(verify(definition, { ...headers, 'x-id': 'another' })).toMatchObject({ reason: 'signature_mismatch' });
  });

  test('is one: a second one beside it would name the event', () => {
    const id = headers['x-id'] ?? '';
    expect(verify(definition, { ...headers, 'x-id': ['another', id] })).toMatchObject({
      reason: 'signature_malformed',
    });
    expect(verify(definition, { ...headers, 'x-id': [id, id] })).toMatchObject({ outcome: 'verified' });
  });
});

describe('the secret', () => {
  test('is any of those configured, and its label is told', () => {
    expect(verify(plain, { 'x-sig': headerOf(plain, now, 'an-old-secret') })).toEqual({
      outcome: 'verified',
      secretLabel: 'old',
    });
  });

  test('is decoded as the definition says, and one that cannot be matches nothing', () => {
    const cases = [
      [{ encoding: 'hex' }, 'deadbeef01', 'not hex'],
      [{ encoding: 'base64', prefix: 'whsec_' }, 'whsec_3q2+7wE=', '3q2+7wE='],
    ] as const;
    for (const [secret, right, wrongForm] of cases) {
      const definition = { ...plain, secret };
      const sig = headerOf(definition, now, right);
      // The key is the same bytes in both.
      expect(sig).toBe(headerOf({ ...plain, secret: cases[0][0] }, now, 'deadbeef01'));
      expect(verify(definition, { 'x-sig': sig }, [{ label: 'a', value: right }]).outcome).toBe('verified');
      expect(verify(definition, { 'x-sig': sig }, [{ label: 'a', value: wrongForm }]).outcome).toBe('rejected');
      expect(signHmac(definition, body, wrongForm, 0)).toBeNull();
    }
  });
});

function verify(
  definition: HmacDefinition,
  headers: Readonly<Record<string, string | readonly string[]>>,
  configured: readonly { label: string; value: string }[] = secrets,
) {
  return verifyHmac(definition, request(body, headers), configured, { nowMs: now * 1000, toleranceMs: 300_000 });
}

function headerOf(definition: HmacDefinition, at = now, secret = 'a-new-secret'): string {
  return signHmac(definition, body, secret, at * 1000)?.headers['x-sig'] ?? '';
}
