import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyAlterations } from '../src/body-alterations.ts';
import { diagnose, type RejectionReason, schemeOf } from '../src/index.ts';
import { jsonSpellings } from '../src/json-spellings.ts';
import { anyBody, holds, holdsAsync } from './property.ts';
import { request } from './request.ts';

const nowMs = Date.parse('2026-11-30T12:00:00Z');
const value = 'whsec_test0secret0of0the0clinic0tests0000';
const endpoint = {
  provider: 'stripe',
  endpoint: 'billing',
  scheme: schemeOf('stripe'),
  secrets: [{ label: 'live', value }],
  toleranceMs: 300_000,
};
const limits = { maxBytes: 16 * 1024 * 1024, pause: () => Promise.resolve() };

async function diagnosed(signedBody: Buffer, received: Buffer, maxBytes = limits.maxBytes) {
  const headers = endpoint.scheme.sign(signedBody, value, nowMs)?.headers ?? {};
  const rejected = request(received, headers);
  const rejection = await endpoint.scheme.verify(rejected, endpoint.secrets, { nowMs, toleranceMs: 300_000 });
  if (rejection.outcome !== 'rejected') return rejection.outcome;
  const others = [{ ...endpoint, endpoint: 'other', secrets: [{ label: 'other', value: `${value}x` }] }];
  return await diagnose({ request: rejected, rejection, endpoint, idleSecrets: [], others }, { ...limits, maxBytes });
}

describe('other spellings of JSON', () => {
  test('say the same, whatever the JSON is, and each is found again', async () => {
    const json = fc.jsonValue({ stringUnit: 'grapheme' });
    holds(json, (said) => {
      const text = JSON.stringify(said);
      // Not `said` itself: JSON.stringify writes -0 as 0.
      for (const spelling of jsonSpellings(text))
        expect(JSON.parse(spelling.text), spelling.name).toEqual(JSON.parse(text));
    });
    await holdsAsync(fc.object(), async (said) => {
      const received = Buffer.from(JSON.stringify(said));
      for (const { text } of [...jsonSpellings(received.toString())].slice(-2)) {
        const found = await diagnosed(Buffer.from(text), received);
        expect(found === 'verified' || (typeof found === 'object' && found.code !== 'unknown')).toBe(true);
      }
    });
  });

  test('of numbers beyond 2^53 round nothing, and of deep nesting neither fail nor grow without bound', () => {
    const [compact] = jsonSpellings('{"amount": 90071992547409931234567, "rate": 1.10}');
    expect(compact?.text).toBe('{"amount":90071992547409931234567,"rate":1.10}');
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    for (const { text } of jsonSpellings(deep)) expect(text.length).toBeLessThan(4_000_000);
  });

  test('of what is no JSON there are none', () => {
    expect([...jsonSpellings('{"a":')]).toEqual([]);
  });
});

test('whatever is received, a diagnosis is told, bounded, and holds no secret and nothing of the body', async () => {
  const reasons: readonly RejectionReason[] = ['signature_missing', 'signature_malformed', 'signature_mismatch'];
  const text = fc.string({ unit: 'binary', maxLength: 200 });
  await holdsAsync(
    fc.record({ body: anyBody, reason: fc.constantFrom(...reasons), lines: fc.array(text, { maxLength: 5 }) }),
    async ({ body, reason, lines }) => {
      const headers = { 'stripe-signature': lines, 'content-encoding': lines.slice(0, 1) };
      const rejection = { outcome: 'rejected', reason, detail: 'a detail' } as const;
      const rejected = { request: request(body, headers), rejection, endpoint, idleSecrets: [], others: [] };
      const { code, explanation } = await diagnose(rejected, limits);
      expect(code).not.toBe('');
      expect(explanation.length).toBeLessThanOrEqual(1000);
      expect(explanation).not.toContain(value);
      expect(lines.filter((line) => line.length > 20 && explanation.includes(line))).toEqual([]);
    },
  );
});

test('an altered body is recognised whatever it is, where the alteration can be undone at all', async () => {
  const anyText = fc.string({ unit: 'grapheme', minLength: 1 }).map((body) => Buffer.from(body));
  await holdsAsync(anyText, async (body) => {
    for (const sent of [Buffer.concat([body, Buffer.from('\n')]), Buffer.concat([Buffer.from('\ufeff'), body])]) {
      const found = await diagnosed(sent, body);
      expect(typeof found === 'object' && found.secretLabel).toBe('live');
    }
  });
});

test('a diagnosis stops at its limit of work', async () => {
  const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(50_000) }));
  let pauses = 0;
  const headers = endpoint.scheme.sign(Buffer.from('other'), value, nowMs)?.headers ?? {};
  const rejection = { outcome: 'rejected', reason: 'signature_mismatch', detail: '' } as const;
  const rejected = { request: request(body, headers), rejection, endpoint, idleSecrets: [], others: [] };
  const count = () => {
    pauses += 1;
    return Promise.resolve();
  };
  expect((await diagnose(rejected, { maxBytes: 500_000, pause: count })).code).toBe('unknown');
  expect(pauses).toBeLessThanOrEqual(10);
});

test('a large body is not rewritten at all', () => {
  expect([...bodyAlterations(request(Buffer.alloc(1_000_000, 'x'), {}))]).toEqual([]);
});
