import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { bitFlips } from './property.ts';
import { request } from './request.ts';
import { fixture, fixturesAreAbsent } from './shared-fixtures.ts';

/** What a vector has of its own or of its file. */
interface Vector {
  readonly name: string;
  readonly provider: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly expected: 'valid' | 'invalid';
  readonly body?: string;
  readonly body_file?: string;
  readonly body_suffix?: string;
  readonly url?: string;
  readonly now?: number;
  readonly tolerance_s?: number;
  readonly raw_headers?: readonly (readonly [string, string])[];
}

/** How many there are of each provider: valid and all. */
const published = { github: [4, 6], gocardless: [1, 3], paddle: [4, 11], slack: [1, 4], square: [3, 9] } as const;
const selfmade = { lemonsqueezy: [1, 1], mollie: [1, 1], xero: [1, 1], zoom: [1, 1] } as const;

describe.skipIf(fixturesAreAbsent)('signature vectors', () => {
  const vectors = fixturesAreAbsent ? [] : [...Object.keys(published).flatMap(publishedOf), ...ours()];

  test.each(Object.entries({ ...published, ...selfmade }))('of %s are all there', (provider, [valid, all]) => {
    const own = vectors.filter((vector) => vector.provider === provider);
    expect(own.filter(({ expected }) => expected === 'valid').length).toBe(valid);
    expect(own.length).toBe(all);
  });

  test.each(vectors)('$provider: $name: $expected', async (vector) => {
    expect((await verify(vector)).outcome).toBe(vector.expected === 'valid' ? 'verified' : 'rejected');
  });

  const valid = vectors.filter(({ expected, body_file: file }) => expected === 'valid' && file === undefined);

  test.each(valid)('$provider: $name: no bit of body or header can change', async (vector) => {
    const body = bodyOf(vector);
    let tried = 0;
    for (const flip of bitFlips(body)) {
      expect((await verify(vector, { body: flip })).outcome).toBe('rejected');
      tried += 1;
    }
    for (const [name, value] of Object.entries(headersOf(vector))) {
      const line = await decisive(vector, name, value);
      for (const flip of bitFlips(Buffer.from(line, 'latin1'))) {
        const headers = { ...headersOf(vector), [name]: flip.toString('latin1') };
        expect((await verify(vector, { headers })).outcome, `${name}: ${flip.toString('latin1')}`).toBe('rejected');
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(body.length + 30);
  });
});

async function verify(vector: Vector, changed: { body?: Buffer; headers?: Vector['headers'] } = {}) {
  const scheme = schemeOf(vector.provider, vector.url === undefined ? {} : { url: vector.url });
  const secrets = [
    { label: 'another', value: 'another-secret-of-another-endpoint' },
    { label: 'published', value: vector.secret },
  ];
  const options = { nowMs: (vector.now ?? 0) * 1000, toleranceMs: (vector.tolerance_s ?? 300) * 1000 };
  const { body = bodyOf(vector), headers = headersOf(vector) } = changed;
  return await scheme.verify(request(body, headers), secrets, options);
}

/** What of a header proves the delivery: the right one of two lines, and no second signature that would be enough too. */
async function decisive(vector: Vector, name: string, value: string | readonly string[]): Promise<string> {
  for (const line of [value].flat()) {
    const text = vector.provider === 'paddle' ? line.split(';').slice(0, 2).join(';') : line;
    const headers = { ...headersOf(vector), [name]: text };
    if ((await verify(vector, { headers })).outcome === 'verified') return text;
  }
  throw new Error(`no line of ${name} is right by itself`);
}

function headersOf({ headers, raw_headers: lines }: Vector): Vector['headers'] {
  if (lines === undefined) return headers;
  return Object.fromEntries(
    Map.groupBy(lines, ([name]) => name)
      .entries()
      .map(([name, own]) => [name, own.map(([, value]) => value)]),
  );
}

function bodyOf({ body, body_file: file, body_suffix: suffix = '' }: Vector): Buffer {
  const bytes = file === undefined ? Buffer.from(body ?? '') : fixture(file);
  return Buffer.concat([bytes, Buffer.from(suffix)]);
}

function publishedOf(provider: string): readonly Vector[] {
  const file = JSON.parse(fixture(`${provider}/vectors/vectors.json`).toString()) as Vector & { vectors: Vector[] };
  const { vectors, ...shared } = file;
  return vectors.map((vector) => ({ ...shared, ...vector }));
}

/** Made from the documentation, where a provider publishes none. */
function ours(): readonly Vector[] {
  const { vectors } = JSON.parse(fixture('_selfmade/vectors.selfmade.json').toString()) as { vectors: Vector[] };
  return vectors.filter(({ provider }) => provider in selfmade);
}
