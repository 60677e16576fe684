import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findProvider, providers, type Reading, type Sample, schemeOf } from '../src/index.ts';
import { expectStorable } from './named-event.ts';
import { createPaypalAuthority } from './paypal-authority.ts';
import { anyBody, bitFlips, holdsAsync } from './property.ts';
import { request } from './request.ts';
import { fixture, fixtureFiles, fixturesAreAbsent } from './shared-fixtures.ts';

const nowMs = Date.parse('2026-11-30T12:00:00Z');
const paypal = await createPaypalAuthority();
const options = { nowMs, toleranceMs: 300_000, certificates: paypal.certificates };

test('the registry holds all providers, each under a name of its own', () => {
  expect(providers.length).toBeGreaterThanOrEqual(16);
  expect(new Set(providers.map(({ name }) => name)).size).toBe(providers.length);
  for (const provider of providers) expect(findProvider(provider.name)).toBe(provider);
  for (const name of ['', 'nobody', 'STRIPE', '__proto__', 'constructor']) expect(findProvider(name)).toBeUndefined();
});

describe.each(providers)('$name', (provider) => {
  const scheme = schemeOf(provider.name, provider.example.options);
  // Only PayPal can sign as PayPal: an authority of the test's own stands in.
  const sign = provider.name === 'paypal' ? paypal.sign : scheme.sign;
  const [value, otherValue] = provider.example.secrets;
  const secret = { label: 'current', value };
  const other = { label: 'previous', value: otherValue };
  const context = { deliveryId: '0198c0de-0000-7000-8000-000000000001', secret };

  test('its name fits a URL segment and the provider column', () => {
    expect(provider.name).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
    expect(provider.title).not.toBe('');
  });

  test('its facts are plausible and say where they come from', () => {
    const { facts } = provider;
    for (const ms of [facts.retryWindowMs, facts.replayWindowMs]) expect(ms ?? 0).toBeLessThanOrEqual(90 * 86_400_000);
    expect(facts.answerLimitMs ?? 1000).toBeGreaterThanOrEqual(1000);
    for (const source of facts.sources) expect(source).toMatch(/^https:\/\//);
    expect(facts.sources.length).toBeGreaterThanOrEqual(1);
  });

  test('an unknown option is refused by its name', () => {
    const configured = provider.configure({ ...provider.example.options, noSuchOption: 1 });
    expect(configured).toMatchObject({ outcome: 'invalid', problems: [{ path: ['noSuchOption'] }] });
  });

  test('its answers are 200: providers differ on every other status', () => {
    expect(scheme.accepted?.status ?? 200).toBe(200);
  });

  const samples = Object.entries(provider.samples);

  test('it has samples', () => {
    expect(samples.length).toBeGreaterThanOrEqual(1);
  });

  describe.each(samples)('sample %s', (_name, sample) => {
    const { body, headers } = delivery(sample, 'Tag1');

    test('is verified under each of several secrets, and the label of the one that matched is told', async () => {
      for (const secrets of [[secret], [secret, other], [other, secret]]) {
        const verification = await scheme.verify(request(body, headers), secrets, options);
        expect(verification).toEqual({ outcome: 'verified', secretLabel: 'current' });
      }
    });

    test('is read as an event of the type it says, fit for the database', () => {
      const reading = scheme.read(request(body, headers), context);
      expectStorable(reading);
      expect(eventsOf(reading).map(({ eventType }) => eventType)).toContain(sample.eventType);
    });

    test('is the same event for the same tag and another for another tag', () => {
      const [first, again, fresh] = ['Tag1', 'Tag1', 'Tag2'].map((tag) => {
        const signed = delivery(sample, tag);
        return scheme.read(request(signed.body, signed.headers), { ...context, deliveryId: tag });
      });
      expect(again).toEqual(first);
      expect(eventsOf(fresh)[0]?.eventId).not.toBe(eventsOf(first)[0]?.eventId);
    });

    test('is read again from the body and the headers that are stored', () => {
      const kept = Object.entries(headers).filter(([name]) => scheme.readsHeaders.includes(name));
      const again = scheme.read(request(body, Object.fromEntries(kept)), { ...context, secret: null });
      expect(again).toEqual(scheme.read(request(body, headers), context));
    });

    test('is not verified without its signature, without secrets or under other secrets', async () => {
      const bare = await scheme.verify(request(unsigned(sample), {}), [secret], options);
      expect(bare).toMatchObject({ outcome: 'rejected', reason: 'signature_missing' });
      for (const secrets of [[], [other], [{ label: 'spaced', value: `${value}\n` }]]) {
        const verification = await scheme.verify(request(body, headers), secrets, options);
        expect(verification).toMatchObject({ outcome: 'rejected', reason: 'signature_mismatch' });
      }
    });

    test('is not verified after any one bit of what proves it is changed', async () => {
      const proof = Object.entries(headers).filter(([name]) => isProof(name, sample));
      for (const [name, text] of proof) {
        for (const flip of bitFlips(Buffer.from(text, 'latin1'))) {
          const changed = { ...headers, [name]: flip.toString('latin1') };
          expect((await scheme.verify(request(body, changed), [secret], options)).outcome, name).toBe('rejected');
        }
      }
    });
  });

  const whole = sign(Buffer.from('{}'), value, nowMs);

  describe.runIf(whole)('over the whole body', () => {
    // Where the signature stands in the body, it covers fields of it and not the bytes.
    test.each(samples.filter(([, sample]) => bodyStays(sample)))(
      'no bit of sample %s can change',
      async (_name, sample) => {
        const { body, headers } = delivery(sample, 'Tag1');
        const flips = bitFlips(body);
        expect(flips.length).toBe(body.length);
        for (const flip of flips) {
          expect((await scheme.verify(request(flip, headers), [secret], options)).outcome).toBe('rejected');
        }
      },
    );

    test('every signed body is verified, and read to something that can be stored', async () => {
      await holdsAsync(anyBody, async (body) => {
        const proof = sign(body, value, nowMs);
        const signed = request(body, proof?.headers ?? {});
        const { outcome } = await scheme.verify(signed, [other, secret], options);
        expect(outcome).toBe(proof === null ? 'rejected' : 'verified');
        expectStorable(scheme.read(signed, context));
      });
    });

    test('a header of a stranger never verifies, never throws and is never quoted', async () => {
      const name = Object.keys(whole?.headers ?? {}).find((header) => header !== 'content-type') ?? '';
      const text = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.stringMatching(/^(t=\d{10}|v1=[0-9a-f]{64}|,|;| ){1,8}$/),
      );
      await holdsAsync(fc.array(text, { maxLength: 20 }), async (lines) => {
        const headers = { ...whole?.headers, [name]: lines };
        const verification = await scheme.verify(request(Buffer.from('{}'), headers), [secret], options);
        expect(verification.outcome).toBe('rejected');
        const told = JSON.stringify(verification);
        expect(told).not.toContain(value);
        expect(lines.some((line) => line.length > 15 && told.includes(line))).toBe(false);
      });
    });

    describe.skipIf(fixturesAreAbsent)('hostile bodies', () => {
      const files = fixtureFiles('_hostile').filter((path) => !path.endsWith('manifest.json'));

      test('are there', () => {
        expect(files.length).toBeGreaterThanOrEqual(20);
      });

      const signable = files.filter((path) => sign(fixture(path), value, nowMs) !== null);

      test('are nearly all of a kind that the scheme signs', () => {
        expect(signable.length).toBeGreaterThanOrEqual(files.length - 1);
      });

      test.each(signable)('%s is verified when signed, and read to something that can be stored', async (path) => {
        const body = fixture(path);
        const signed = request(body, sign(body, value, nowMs)?.headers ?? {});
        expect((await scheme.verify(signed, [secret], options)).outcome).toBe('verified');
        expectStorable(scheme.read(signed, context));
        expect(scheme.read(signed, context)).toEqual(scheme.read(signed, context));
      });
    });
  });

  test('a secret with stray white space, an invisible character or nothing in it is refused without being told', () => {
    for (const secretValue of provider.example.secrets) expect(scheme.secretProblem(secretValue)).toBeNull();
    for (const wrong of [`${value}\n`, ` ${value}`, `${value}\u200b`]) {
      const problem = scheme.secretProblem(wrong);
      expect(problem).not.toBeNull();
      expect(problem).not.toContain(wrong.trim());
    }
    expect(scheme.secretProblem('')).not.toBeNull();
  });

  /** A sample as its provider would send it. */
  function delivery(sample: Sample, tag: string) {
    const values = { tag, nowMs };
    const signed = sign(unsigned(sample, tag), value, nowMs);
    if (signed === null) throw new Error('a sample that its own scheme cannot sign');
    return { body: signed.body, headers: { ...sample.headers?.(values), ...signed.headers } };
  }

  function unsigned(sample: Sample, tag = 'Tag1'): Buffer {
    return Buffer.from(JSON.stringify(sample.body({ tag, nowMs })));
  }

  function bodyStays(sample: Sample): boolean {
    return delivery(sample, 'Tag1').body.equals(unsigned(sample));
  }

  function isProof(name: string, sample: Sample): boolean {
    // A URL only points to what proves.
    return (
      !['content-type', 'paypal-cert-url'].includes(name) && !(name in (sample.headers?.({ tag: 'Tag1', nowMs }) ?? {}))
    );
  }
});

function eventsOf(reading: Reading | undefined) {
  return reading?.outcome === 'events' ? reading.events : [];
}
