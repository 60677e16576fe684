import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { secretsOf } from '../src/load-config.ts';
import { sealSecret, validityOf } from '../src/secret.ts';
import { load, otherStripeSecret, problemsOf, stripeSecret, workingDirectory } from './support.ts';

const file = 'mailroom.endpoints.json';

function withSecrets(secrets: readonly unknown[], files: Record<string, string> = {}): string {
  return workingDirectory({ [file]: { endpoints: [{ provider: 'stripe', endpoint: 'billing', secrets }] }, ...files });
}

function secretOfFile(content: string): string | undefined {
  return load('ingest', {}, withSecrets(['file:./key'], { key: content })).endpoints[0]?.secrets[0]?.value;
}

describe('reading secrets', () => {
  test.each([stripeSecret, `${stripeSecret}\n`, `${stripeSecret}\r\n`])(
    'one line break at the end of a file is not part of the secret: %j',
    (content) => expect(secretOfFile(content)).toBe(stripeSecret),
  );

  test.each([
    [`${stripeSecret}\n\n`, 'white space or a line break at its start or end'],
    [` ${stripeSecret}`, 'white space or a line break at its start or end'],
    [`${stripeSecret}\t`, 'white space or a line break at its start or end'],
    [`\ufeff${stripeSecret}`, 'white space or a line break at its start or end'],
    [`${stripeSecret}\n${otherStripeSecret}\n`, 'line breaks or invisible characters in it'],
    [`whsec_\u200bQ0RFRkdISUpLTE1OT1BRUlNUVVZX`, 'line breaks or invisible characters in it'],
    [`"${stripeSecret}"`, 'a secret in quotation marks'],
    ['', 'an empty secret'],
    ['\n', 'an empty secret'],
    ['whsec_short', 'a secret that is too short'],
    ['sk_live_51H8xTestKeyTestKeyTestKey', 'a secret that does not start with whsec_'],
  ])('a file that holds %j is refused', (content, expected) => {
    const [problem, ...others] = problemsOf('ingest', {}, withSecrets(['file:./key'], { key: content }));
    expect(others).toEqual([]);
    expect(problem).toContain(`found ${expected.startsWith('a') ? expected : `a secret with ${expected}`}`);
  });

  test('a variable is never trimmed', () => {
    const [problem] = problemsOf('ingest', { A_SECRET: `${stripeSecret}\n` }, withSecrets(['env:A_SECRET']));
    expect(problem).toContain(
      'endpoints[0].secrets[0] (env:A_SECRET): found a secret with white space or a line break',
    );
  });

  test('what cannot be read is told with its name and its place', () => {
    const cwd = withSecrets(['env:NOT_SET', 'file:./none', 'file:./folder', 'file:./latin1', 'file:./large'], {
      'folder/x': '',
      large: 'x'.repeat(20_000),
    });
    const problems = problemsOf('ingest', {}, cwd).map((line) => line.replaceAll(`${cwd}/`, ''));
    expect(problems).toEqual([
      `${file}: endpoints[0].secrets[0]: found that NOT_SET is not set; right: NOT_SET holding the secret`,
      expect.stringContaining('secrets[1]: found that none does not exist'),
      expect.stringContaining('secrets[2]: found that folder is a folder'),
      expect.stringContaining('secrets[3]: found that latin1 does not exist'),
      expect.stringContaining('secrets[4]: found that large is too large for a secret'),
    ]);
  });

  test('labels of an endpoint differ, and so do its secrets', () => {
    const env = { ONE_SECRET: stripeSecret, TWO_SECRET: stripeSecret, THREE_SECRET: otherStripeSecret };
    const cwd = withSecrets(['env:ONE_SECRET', 'env:TWO_SECRET', { label: 'ONE_SECRET', from: 'env:THREE_SECRET' }]);
    expect(problemsOf('ingest', env, cwd)).toEqual([
      expect.stringContaining('secrets[1]: found the same secret as "ONE_SECRET"'),
      expect.stringContaining('secrets[2]: found the label "ONE_SECRET" again'),
    ]);
  });
});

describe('a folder of secrets', () => {
  test('every file is one, its name the label; what Kubernetes keeps behind dots is passed over', () => {
    const cwd = withSecrets(['dir:./keys']);
    const dated = join(cwd, 'keys', '..2026_11_30');
    mkdirSync(dated, { recursive: true });
    writeFileSync(join(dated, 'live'), `${stripeSecret}\n`);
    writeFileSync(join(dated, 'test'), otherStripeSecret);
    symlinkSync('..2026_11_30', join(cwd, 'keys', '..data'));
    for (const name of ['live', 'test']) symlinkSync(join('..data', name), join(cwd, 'keys', name));
    writeFileSync(join(cwd, 'keys', '.gitkeep'), '');
    const secrets = load('ingest', {}, cwd).endpoints[0]?.secrets ?? [];
    expect(secrets.map(({ label, value }) => [label, value])).toEqual([
      ['live', stripeSecret],
      ['test', otherStripeSecret],
    ]);
  });

  test.each([
    ['is missing', {}, 'that keys does not exist'],
    ['is a file', { keys: stripeSecret }, 'that keys is not a folder'],
    ['holds nothing but dot files', { 'keys/.gitkeep': '' }, 'that keys holds no files'],
    ['holds a folder', { 'keys/old/live': stripeSecret }, 'that keys/old is a folder'],
    [
      'holds something else than secrets',
      { 'keys/live': 'short' },
      '(file:keys/live): found a secret that does not start',
    ],
    ['holds a name that is no label', { 'keys/a b': stripeSecret }, 'a file name that cannot be a label'],
  ])('that %s is told with its place', (_what, files, expected) => {
    const cwd = withSecrets(['dir:./keys'], files);
    const [problem, ...others] = problemsOf('ingest', {}, cwd).map((line) => line.replaceAll(`${cwd}/`, ''));
    expect(others).toEqual([]);
    expect(problem).toContain(expected);
  });

  test('takes no label, and counts with all its files against the bound', () => {
    const labelled = withSecrets([{ label: 'x', from: 'dir:./keys' }], { 'keys/live': stripeSecret });
    expect(problemsOf('ingest', {}, labelled)).toEqual([expect.stringContaining('secrets[0].label: found "x"')]);
    const files = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`keys/k${n}`, `${stripeSecret}${n}`]));
    expect(problemsOf('ingest', {}, withSecrets(['dir:./keys'], files))).toEqual([
      expect.stringContaining('found 17 secrets; right: at most 16'),
    ]);
  });
});

describe('the window of a secret', () => {
  const [notBefore, notAfter] = ['2026-11-30T12:00:00Z', '2026-12-30T12:00:00+01:00'];

  test('is read with its offset and says when the secret counts', () => {
    const cwd = withSecrets([{ from: 'file:./key', notBefore, notAfter }], { key: stripeSecret });
    const [secret] = load('ingest', {}, cwd).endpoints[0]?.secrets ?? [];
    if (secret === undefined) throw new Error('no secret');
    const start = Date.parse(notBefore);
    const end = Date.parse(notAfter);
    expect([start - 1, start, end, end + 1].map((at) => validityOf(secret, at))).toEqual([
      'too_early',
      'valid',
      'valid',
      'too_late',
    ]);
    expect(validityOf(sealSecret('always', stripeSecret), 0)).toBe('valid');
  });

  test.each([
    [{ notBefore: '2026-11-30' }, 'secrets[0].notBefore'],
    [{ notBefore: '2026-11-30T12:00:00' }, 'secrets[0].notBefore'],
    [{ notAfter: 1_764_500_000 }, 'secrets[0].notAfter'],
    [{ notBefore: notAfter, notAfter: notBefore }, 'a time not after notBefore'],
  ])('%j is refused', (window, expected) => {
    const cwd = withSecrets([{ from: 'file:./key', ...window }], { key: stripeSecret });
    expect(problemsOf('ingest', {}, cwd)).toEqual([expect.stringContaining(expected)]);
  });
});

describe('a sealed secret', () => {
  const secret = sealSecret('2026-11', stripeSecret);

  test('is read like any property', () => {
    expect(secret.value).toBe(stripeSecret);
    const { value } = secret;
    expect(value).toBe(stripeSecret);
  });

  test('shows its label and nothing else to JSON and inspection', () => {
    expect(JSON.stringify(secret)).toBe('{"label":"2026-11","value":"[redacted]"}');
    for (const options of [{}, { showHidden: true }, { depth: 9, showHidden: true, customInspect: false }]) {
      expect(inspect({ deep: [secret] }, options)).not.toContain('whsec_');
    }
    expect(inspect(secret)).toContain('[redacted]');
  });

  test('lends nothing to a copy', () => {
    expect({ ...secret }).toEqual({ label: '2026-11' });
    expect(structuredClone({ ...secret })).toEqual({ label: '2026-11' });
    expect(Object.keys(secret)).toEqual(['label']);
  });
});

test('secretsOf names every secret text of a configuration, the password of the database too', () => {
  const env = { STRIPE_WEBHOOK_SECRET: stripeSecret, DATABASE_URL: 'postgres://u:p%40ssword@db/x?password=other-one' };
  expect(secretsOf(load('ingest', env))).toEqual([stripeSecret, 'p%40ssword', 'p@ssword', 'other-one']);
  expect(secretsOf(load('worker', {}))).toEqual([]);
});
