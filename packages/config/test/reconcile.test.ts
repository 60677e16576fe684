import { describe, expect, test } from 'vitest';
import { describeConfig } from '../src/describe-config.ts';
import { secretsOf } from '../src/load-config.ts';
import { load, problemsOf, providers, stripeSecret, workingDirectory } from './support.ts';

const key = 'rk_live_51HtestKeyOfNobody';
const billing = { provider: 'stripe', endpoint: 'billing', secrets: ['env:STRIPE_SECRET'] };
const file = (reconcile: unknown) => ({ 'mailroom.endpoints.json': { endpoints: [{ ...billing, reconcile }] } });

describe('who asks providers', () => {
  test('reads API keys and no signing secret, and who verifies reads signing secrets and no API key', () => {
    const cwd = workingDirectory(file({ key: 'env:THE_KEY', accounts: 'connected', types: ['invoice.*'] }));
    const asking = load('reconcile', { THE_KEY: key }, cwd);
    expect(asking.endpoints).toMatchObject([
      { endpoint: 'billing', secrets: [], reconcile: { accounts: 'connected', types: ['invoice.*'] } },
    ]);
    expect(asking.endpoints[0]?.reconcile?.key?.value).toBe(key);
    const verifying = load('ingest', { STRIPE_SECRET: stripeSecret }, cwd);
    expect(verifying.endpoints[0]?.reconcile).toMatchObject({ key: null, accounts: 'connected' });
  });

  test('has the endpoint that there is without a file, and strikes its keys out of the log', () => {
    const config = load('reconcile', { STRIPE_API_KEY: key, MAILROOM_PUBLIC_URL: 'https://hooks.example.com/' });
    expect(config.endpoints).toMatchObject([{ provider: 'stripe', endpoint: 'billing', secrets: [], reconcile: null }]);
    expect(config.publicUrl).toBe('https://hooks.example.com');
    expect(secretsOf(config)).toEqual([key]);
    expect(JSON.stringify(config)).not.toContain(key);
    const { settings } = describeConfig('reconcile', { env: { STRIPE_API_KEY: key }, cwd: '/', providers });
    expect(settings.find(({ name }) => name === 'STRIPE_API_KEY')?.value).toBe('[redacted]');
  });

  test.each([
    [{ key: 'THE_KEY' }, '"env:NAME" or "file:PATH"'],
    [{ key: 'env:NO_SUCH_KEY' }, 'NO_SUCH_KEY is not set'],
    [{ accounts: 'mine' }, '"own", "connected" or "all"'],
    [{ types: ['*'] }, 'a list of event types'],
    [{ shop: 'example.com' }, 'example.myshopify.com'],
    [{ apiBase: 'https://user:pw@x' }, 'without user, query and fragment'],
    [{ tokn: 'x' }, 'the unknown key "tokn"'],
    ['env:KEY', 'an object'],
  ])('is told what is wrong with %j', (reconcile, said) => {
    expect(problemsOf('reconcile', {}, workingDirectory(file(reconcile))).join('\n')).toContain(said);
  });

  test('is told of an API key that is none', () => {
    expect(problemsOf('reconcile', { STRIPE_API_KEY: stripeSecret })).toHaveLength(1);
    expect(problemsOf('reconcile', { MAILROOM_PUBLIC_URL: 'hooks.example.com' })[0]).toContain('https://HOST');
  });
});
