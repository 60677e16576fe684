import { describe, expect, test } from 'vitest';
import { load, otherStripeSecret, problemsOf, stripeSecret, workingDirectory } from './support.ts';

const file = 'mailroom.endpoints.json';
const env = { STRIPE_WEBHOOK_SECRET: stripeSecret, OLD_SECRET: otherStripeSecret };

function billing(change: object = {}): object {
  return { provider: 'stripe', endpoint: 'billing', secrets: ['env:STRIPE_WEBHOOK_SECRET'], ...change };
}

function problemsWith(...endpoints: readonly unknown[]): readonly string[] {
  const cwd = workingDirectory({ [file]: { endpoints } });
  return problemsOf('ingest', env, cwd).map((line) => line.replace(`${cwd}/${file}: `, ''));
}

describe('the endpoints file', () => {
  test('endpoints are read in order with their secrets, limits and labels', () => {
    const cwd = workingDirectory({
      [file]: {
        endpoints: [
          billing({
            secrets: ['env:OLD_SECRET', { label: '2026-11', from: 'file:./secrets/stripe' }],
            toleranceMs: 60_000,
            maxBodyBytes: 65_536,
          }),
          billing({ endpoint: 'connect' }),
        ],
      },
      'secrets/stripe': `${stripeSecret}\n`,
    });
    const { endpoints } = load('ingest', env, cwd);
    expect(endpoints).toMatchObject([
      { provider: 'stripe', endpoint: 'billing', toleranceMs: 60_000, maxBodyBytes: 65_536 },
      { provider: 'stripe', endpoint: 'connect', toleranceMs: 300_000, maxBodyBytes: 1_048_576 },
    ]);
    expect(endpoints[0]?.secrets.map(({ label, value }) => [label, value])).toEqual([
      ['OLD_SECRET', otherStripeSecret],
      ['2026-11', stripeSecret],
    ]);
  });

  test('another path is read when a variable names it, and it must exist', () => {
    const cwd = workingDirectory({ 'etc/endpoints.json': { endpoints: [billing()] } });
    expect(load('ingest', { ...env, MAILROOM_ENDPOINTS_FILE: 'etc/endpoints.json' }, cwd).endpoints).toHaveLength(1);
    const [problem] = problemsOf('ingest', { ...env, MAILROOM_ENDPOINTS_FILE: 'etc/none.json' }, cwd);
    expect(problem).toContain(`MAILROOM_ENDPOINTS_FILE: found that ${cwd}/etc/none.json does not exist`);
  });

  test('a byte order mark at its start is no obstacle', () => {
    const cwd = workingDirectory({ [file]: `\ufeff${JSON.stringify({ endpoints: [billing()] })}` });
    expect(load('ingest', env, cwd).endpoints).toHaveLength(1);
  });

  test.each([
    ['{"endpoints": [', /text that is not JSON/],
    ['{"endpoints": [], // none\n}', /text that is not JSON \(line 1 column \d+\)/],
    ['[]', /found a list; right: an object with "endpoints"/],
    ['{}', /\.endpoints: found nothing; right: a list of at least one endpoint/],
    ['{"endpoints": []}', /\.endpoints: found a list; right: a list of at least one endpoint/],
    ['{"endpoint": []}', /found the unknown key "endpoint"; right: "endpoints"/],
  ])('%s is refused', (text, expected) => {
    const problems = problemsOf('ingest', env, workingDirectory({ [file]: text }));
    expect(problems.join('\n')).toMatch(expected);
  });

  test('a folder in its place is told as one', () => {
    expect(problemsOf('ingest', env, workingDirectory({ [`${file}/x`]: '' }))[0]).toContain(
      'found that it is a folder',
    );
  });

  test.each([
    [{ provider: 'stirpe' }, 'endpoints[0].provider: found "stirpe"; right: "stripe"'],
    [{ provider: 'paypal' }, 'endpoints[0].provider: found "paypal"; right: one of "stripe", "marqeta"'],
    [{ endpoint: 'Billing' }, 'endpoints[0].endpoint: found "Billing"; right: lower-case letters'],
    [{ endpoint: undefined }, 'endpoints[0].endpoint: found nothing; right: lower-case letters'],
    [{ secrets: [] }, 'endpoints[0].secrets: found a list; right: a list of 1 to 16 secrets'],
    [
      { secrets: 'env:OLD_SECRET' },
      'endpoints[0].secrets: found a text of 14 characters (not shown); right: a list of 1 to 16 secrets',
    ],
    [{ toleranceMs: '5m' }, 'endpoints[0].toleranceMs: found "5m"; right: a whole number of milliseconds'],
    [{ toleranceMs: 0 }, 'endpoints[0].toleranceMs: found 0; right: a whole number of milliseconds from 1000'],
    [{ maxBodyBytes: 1024.5 }, 'endpoints[0].maxBodyBytes: found 1024.5; right: a whole number of bytes'],
    [{ maxBodyByte: 2048 }, 'endpoints[0]: found the unknown key "maxBodyByte"; right: "maxBodyBytes"'],
    [{ tolerance_ms: 2048 }, 'endpoints[0]: found an unknown key (not shown); right: "toleranceMs"'],
  ])('%j is refused with what would be right', (change, expected) => {
    const problems = problemsWith(billing(change));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  test('an endpoint stands there once, even where the second is wrong in other ways', () => {
    expect(problemsWith(billing(), billing({ toleranceMs: 'x' }))).toEqual([
      expect.stringContaining('endpoints[1].toleranceMs: found "x"'),
      expect.stringContaining('endpoints[1]: found the same provider and endpoint as endpoints[0]'),
    ]);
    expect(problemsWith(billing(), billing({ endpoint: 'other', secrets: [] }))).toHaveLength(1);
  });

  test('a body limit above what may wait is refused: such a delivery could never be stored', () => {
    const cwd = workingDirectory({ [file]: { endpoints: [billing({ maxBodyBytes: 8_388_608 })] } });
    const [problem] = problemsOf('ingest', { ...env, INGEST_MAX_WAITING_BYTES: '5000000' }, cwd);
    expect(problem).toContain(
      'INGEST_MAX_WAITING_BYTES: found 5000000, less than maxBodyBytes 8388608 of stripe/billing',
    );
  });

  test('settings and endpoints are judged in one go', () => {
    const cwd = workingDirectory({
      [file]: { endpoints: [billing({ provider: 'x' }), billing({ secrets: ['env:NOT_SET'] })] },
    });
    expect(problemsOf('ingest', { ...env, PORT: 'x' }, cwd)).toHaveLength(3);
  });
});

describe('the scheme of an endpoint', () => {
  test('is that of its provider, with the options of the file', () => {
    const cwd = workingDirectory({ [file]: { endpoints: [billing({ options: { url: 'https://a.example' } })] } });
    expect(load('ingest', env, cwd).endpoints).toMatchObject([
      { provider: 'stripe', scheme: 'stripe', options: { url: 'https://a.example' } },
    ]);
    expect(load('ingest', env, workingDirectory({ [file]: { endpoints: [billing()] } })).endpoints).toMatchObject([
      { scheme: 'stripe', options: {} },
    ]);
  });

  test('is another one for a provider with a name of the team, and judges its secrets', () => {
    const acme = { provider: 'acme', scheme: 'stripe', secrets: ['env:STRIPE_WEBHOOK_SECRET'] };
    const cwd = workingDirectory({ [file]: { endpoints: [billing(acme)] } });
    expect(load('ingest', env, cwd).endpoints).toMatchObject([{ provider: 'acme', scheme: 'stripe' }]);
    const [problem] = problemsWith(billing({ ...acme, secrets: ['env:PATH_LIKE'] }));
    expect(problem).toContain('secrets[0]: found that PATH_LIKE is not set');
  });

  test.each([
    [{ provider: 'acme' }, 'provider: found "acme"; right: one of "stripe", "marqeta", or a name of your own beside a'],
    [{ provider: 'Acme', scheme: 'stripe' }, 'provider: found "Acme"; right: one of'],
    [{ provider: 7 }, 'provider: found 7; right: one of'],
    [{ provider: undefined }, 'provider: found nothing; right: one of'],
    [{ scheme: 'marqeta' }, 'scheme: found "marqeta"; right: none: "stripe" has its own'],
    [{ provider: 'acme', scheme: 'stirpe' }, 'scheme: found "stirpe"; right: "stripe"'],
    [{ provider: 'acme', scheme: ['stripe'] }, 'scheme: found a list; right: one of "stripe", "marqeta"'],
    [{ options: 'x' }, 'options: found "x"; right: an object'],
    [{ options: null }, 'options: found null; right: an object'],
    [{ options: { url: 7 } }, 'options.url: found 7; right: a URL'],
    [{ options: { uri: 'x' } }, 'options.uri: found "x"; right: no such option'],
    [
      { options: { uri: stripeSecret } },
      'options.uri: found a text of 34 characters (not shown); right: no such option',
    ],
    [{ options: { [stripeSecret]: 'x' } }, 'options.(not shown): found "x"; right: no such option'],
  ])('%j is refused with what would be right', (change, expected) => {
    const problems = problemsWith(billing(change));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`endpoints[0].${expected}`);
  });
});

describe('without an endpoints file', () => {
  test('an ingestor has stripe/billing with the secret of STRIPE_WEBHOOK_SECRET', () => {
    const { endpoints } = load('ingest', { STRIPE_WEBHOOK_SECRET: stripeSecret });
    expect(endpoints).toMatchObject([{ provider: 'stripe', endpoint: 'billing', secrets: [{ label: 'env' }] }]);
    expect(endpoints[0]?.secrets[0]?.value).toBe(stripeSecret);
  });

  test('an ingestor without either does not start, and says what to do', () => {
    const [problem] = problemsOf('ingest', {});
    expect(problem).toMatch(/^endpoints: found neither .*mailroom\.endpoints\.json nor STRIPE_WEBHOOK_SECRET; right: /);
  });

  test('a secret that Stripe never made is refused', () => {
    expect(problemsOf('ingest', { STRIPE_WEBHOOK_SECRET: 'sk_test_1234567890123456789012345' })).toEqual([
      'STRIPE_WEBHOOK_SECRET: found a secret that does not start with whsec_; right: the secret exactly as stripe shows it',
    ]);
  });
});
