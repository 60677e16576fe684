import { expect, test } from 'vitest';
import { loadConfig } from '../src/load-config.ts';
import { providers, stripeSecret, workingDirectory } from './support.ts';

const dayMs = 86_400_000;
const facts = { retryWindowMs: 3 * dayMs, replayWindowMs: 30 * dayMs };

/** What is wrong with these settings for an ingestor of stripe/billing. */
function problems(env: Readonly<Record<string, string>>, of: object = { facts }): string {
  const judges = providers.map((provider) => (provider.name === 'stripe' ? { ...provider, ...of } : provider));
  try {
    const sources = { env: { STRIPE_WEBHOOK_SECRET: stripeSecret, ...env }, cwd: workingDirectory() };
    loadConfig('ingest', { ...sources, providers: judges });
    return '';
  } catch (error) {
    return String(error);
  }
}

test('a retention shorter than a provider sends events again is refused', () => {
  expect(problems({})).toBe('');
  expect(problems({ LEDGER_RETENTION_DAYS: '31', BODY_RETENTION_DAYS: '30' })).toBe('');
  const ledger = problems({ LEDGER_RETENTION_DAYS: '30' });
  expect(ledger).toContain(
    'LEDGER_RETENTION_DAYS: found 30, and stripe/billing may be sent an event again for 30 days',
  );
  expect(ledger).not.toContain('BODY_RETENTION_DAYS');
  expect(problems({ BODY_RETENTION_DAYS: '29' })).toContain('BODY_RETENTION_DAYS: found 29, and stripe/billing');
});

test('where nothing is known of the provider, any retention is taken', () => {
  for (const of of [{}, { facts: { retryWindowMs: null, replayWindowMs: null } }]) {
    expect(problems({ LEDGER_RETENTION_DAYS: '2', BODY_RETENTION_DAYS: '1' }, of)).toBe('');
  }
});

test('a body is never kept for longer than its event', () => {
  expect(problems({ LEDGER_RETENTION_DAYS: '40', BODY_RETENTION_DAYS: '41' })).toContain(
    'BODY_RETENTION_DAYS: found 41 beside LEDGER_RETENTION_DAYS=40',
  );
});
