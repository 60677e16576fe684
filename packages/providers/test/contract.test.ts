import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findProvider, type Provider, providers, type Reading } from '../src/index.ts';
import { expectStorable } from './named-event.ts';
import { anyBody, bitFlips, holds } from './property.ts';
import { request } from './request.ts';
import { fixture, fixtureFiles, fixturesAreAbsent } from './shared-fixtures.ts';

const nowMs = Date.parse('2026-11-30T12:00:00Z');
const options = { nowMs, toleranceMs: 300_000 };
const secret = { label: 'current', value: 'whsec_contractTestSecret0123456789abcdef' };
const other = { label: 'previous', value: 'whsec_anotherSecretOfTheSameLength012345' };

test('the registry holds at least one provider, each under a name of its own', () => {
  expect(providers.length).toBeGreaterThanOrEqual(1);
  expect(new Set(providers.map(({ name }) => name)).size).toBe(providers.length);
  for (const provider of providers) expect(findProvider(provider.name)).toBe(provider);
  for (const name of ['', 'nobody', 'STRIPE', '__proto__', 'constructor']) expect(findProvider(name)).toBeUndefined();
});

describe.each(providers)('$name', (provider) => {
  test('its name fits a URL segment and the provider column', () => {
    expect(provider.name).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
    expect(provider.title).not.toBe('');
  });

  const samples = Object.entries(provider.samples);

  test('it has samples', () => {
    expect(samples.length).toBeGreaterThanOrEqual(1);
  });

  describe.each(samples)('sample %s', (_name, sample) => {
    const body = bodyOf(sample.body({ tag: 'Tag1', nowMs }));

    test('is verified under each of several secrets, and the label of the one that matched is told', () => {
      for (const secrets of [[secret], [secret, other], [other, secret]]) {
        const verification = provider.verify(signed(provider, body), secrets, options);
        expect(verification).toEqual({ outcome: 'verified', secretLabel: 'current' });
      }
    });

    test('is read as an event of the type it says, fit for the database', () => {
      const reading = provider.read(signed(provider, body));
      expectStorable(reading);
      expect(eventsOf(reading).map(({ eventType }) => eventType)).toContain(sample.eventType);
      expect(eventsOf(reading)[0]?.objectKey).not.toBeNull();
    });

    test('is the same event for the same tag and another for another tag', () => {
      const again = provider.read(signed(provider, bodyOf(sample.body({ tag: 'Tag1', nowMs }))));
      const fresh = provider.read(signed(provider, bodyOf(sample.body({ tag: 'Tag2', nowMs }))));
      expect(again).toEqual(provider.read(signed(provider, body)));
      expect(eventsOf(fresh)[0]?.eventId).not.toBe(eventsOf(again)[0]?.eventId);
    });

    test('is not verified without its signature, without secrets or under other secrets', () => {
      const unsigned = provider.verify(request(body, {}), [secret], options);
      expect(unsigned).toMatchObject({ outcome: 'rejected', reason: 'signature_missing' });
      for (const secrets of [[], [other], [{ label: 'spaced', value: `${secret.value}\n` }]]) {
        const verification = provider.verify(signed(provider, body), secrets, options);
        expect(verification).toMatchObject({ outcome: 'rejected', reason: 'signature_mismatch' });
      }
    });

    test('is not verified after any one bit of its body is changed', () => {
      const headers = provider.sign(body, secret.value, nowMs);
      const flips = bitFlips(body);
      expect(flips.length).toBe(body.length);
      for (const flip of flips) {
        expect(provider.verify(request(flip, headers), [secret], options).outcome).toBe('rejected');
      }
    });

    test('is not verified after any one bit of what proves it is changed', () => {
      const { 'content-type': contentType = '', ...proof } = provider.sign(body, secret.value, nowMs);
      expect(contentType).not.toBe('');
      expect(Object.keys(proof).length).toBeGreaterThanOrEqual(1);
      for (const [name, value] of Object.entries(proof)) {
        for (const flip of bitFlips(Buffer.from(value, 'latin1'))) {
          const headers = { ...proof, [name]: flip.toString('latin1') };
          expect(provider.verify(request(body, headers), [secret], options).outcome).toBe('rejected');
        }
      }
    });
  });

  test('every signed body is verified, and read to something that can be stored', () => {
    holds(anyBody, (body) => {
      const delivery = signed(provider, body);
      expect(provider.verify(delivery, [other, secret], options).outcome).toBe('verified');
      expectStorable(provider.read(delivery));
    });
  });

  test('a header of a stranger never verifies, never throws and is never quoted', () => {
    const name = Object.keys(provider.sign(Buffer.from('{}'), secret.value, nowMs)).find(isProof) ?? '';
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^(t=\d{10}|v1=[0-9a-f]{64}|,|;| ){1,8}$/));
    holds(fc.array(value, { maxLength: 20 }), (lines) => {
      const verification = provider.verify(request(Buffer.from('{}'), { [name]: lines }), [secret], options);
      expect(verification.outcome).toBe('rejected');
      const told = JSON.stringify(verification);
      expect(told).not.toContain(secret.value);
      expect(lines.some((line) => line.length > 15 && told.includes(line))).toBe(false);
    });
  });

  test('a secret with stray white space, an invisible character or nothing in it is refused without being told', () => {
    for (const value of [`${secret.value}\n`, ` ${secret.value}`, `${secret.value}\u200b`, 'short-one']) {
      const problem = provider.secretProblem(value);
      expect(problem).not.toBeNull();
      expect(problem).not.toContain(value.trim());
    }
    expect(provider.secretProblem('')).not.toBeNull();
  });

  describe.skipIf(fixturesAreAbsent)('hostile bodies', () => {
    const files = fixtureFiles('_hostile').filter((path) => !path.endsWith('manifest.json'));

    test('are there', () => {
      expect(files.length).toBeGreaterThanOrEqual(20);
    });

    test.each(files)('%s is verified when signed, and read to something that can be stored', (path) => {
      const delivery = signed(provider, fixture(path));
      expect(provider.verify(delivery, [secret], options).outcome).toBe('verified');
      expectStorable(provider.read(delivery));
      expect(provider.read(delivery)).toEqual(provider.read(delivery));
    });
  });
});

function signed(provider: Provider, body: Buffer) {
  return request(body, provider.sign(body, secret.value, nowMs));
}

function bodyOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function eventsOf(reading: Reading) {
  return reading.outcome === 'events' ? reading.events : [];
}

function isProof(header: string): boolean {
  return header !== 'content-type';
}
