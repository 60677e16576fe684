import { describe, expect, test } from 'vitest';
import { verifyStripe } from '../src/stripe/signature.ts';
import { bitFlips } from './property.ts';
import { request } from './request.ts';
import { fixture, fixturesAreAbsent } from './shared-fixtures.ts';

interface VectorFile {
  readonly secret: string;
  readonly body_file: string;
  readonly tolerance_s: number;
  readonly vectors: readonly Vector[];
}

interface Vector {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
  readonly secret?: string;
  readonly body_suffix?: string;
  readonly expected: 'valid' | 'invalid';
  readonly reason?: string;
}

const reasons: Readonly<Record<string, string>> = {
  timestamp: 'timestamp_stale',
  signature: 'signature_mismatch',
  'no v1 scheme': 'signature_malformed',
  'malformed header': 'signature_malformed',
};

describe.skipIf(fixturesAreAbsent)('vectors published by Stripe', () => {
  const file = vectorFile();

  test('all of them are there', () => {
    expect(file.vectors.length).toBe(15);
    expect(file.vectors.filter(({ expected }) => expected === 'valid').length).toBe(2);
  });

  test.each(file.vectors)('$name: $expected', (vector) => {
    const { body, secrets, options } = given(file, vector);
    const verification = verifyStripe(request(body, vector.headers), secrets, options);
    expect(verification).toMatchObject(
      vector.expected === 'valid'
        ? { outcome: 'verified', secretLabel: 'published' }
        : { outcome: 'rejected', reason: reasons[vector.reason ?? ''] },
    );
  });

  const [first] = file.vectors;

  test('no bit of a published body or signature can change', () => {
    expect(first).toBeDefined();
    const { body, secrets, options } = given(file, first);
    const header = Buffer.from(first?.headers['Stripe-Signature'] ?? '');
    const v1Ends = header.indexOf(',v0=');
    let tried = 0;
    for (const flip of bitFlips(body)) {
      expect(verifyStripe(request(flip, first?.headers ?? {}), secrets, options).outcome).toBe('rejected');
      tried += 1;
    }
    // What follows v1 is v0, which proves nothing and is not read.
    for (const flip of bitFlips(header).slice(0, v1Ends)) {
      const headers = { 'stripe-signature': flip.toString('latin1') };
      expect(verifyStripe(request(body, headers), secrets, options).outcome).toBe('rejected');
      tried += 1;
    }
    expect(tried).toBe(body.length + v1Ends);
  });
});

function vectorFile(): VectorFile {
  try {
    return JSON.parse(fixture('stripe/vectors/vectors.json').toString('utf8')) as VectorFile;
  } catch {
    return { secret: '', body_file: '', tolerance_s: 0, vectors: [] };
  }
}

function given(file: VectorFile, vector: Vector | undefined) {
  const published = fixture(`stripe/vectors/${file.body_file}`);
  return {
    body: Buffer.concat([published, Buffer.from(vector?.body_suffix ?? '')]),
    secrets: [{ label: 'published', value: vector?.secret ?? file.secret }],
    options: { nowMs: (vector?.now ?? 0) * 1000, toleranceMs: file.tolerance_s * 1000 },
  };
}
