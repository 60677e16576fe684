import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load, problemsOf, workingDirectory } from './support.ts';

const key = 'rk_live_51HtestKeyOfNobody';

test('the API key stands in the variable, in a file, or in another variable that is named there', () => {
  const cwd = workingDirectory({ 'stripe-key': `${key}\n` });
  expect(load('worker', { STRIPE_API_KEY: key }, cwd).stripeApiKey).toBe(key);
  expect(load('worker', { STRIPE_API_KEY: `file:${join(cwd, 'stripe-key')}` }, cwd).stripeApiKey).toBe(key);
  expect(load('worker', { STRIPE_API_KEY: 'file:./stripe-key' }, cwd).stripeApiKey).toBe(key);
  expect(load('worker', { STRIPE_API_KEY: 'env:THE_KEY', THE_KEY: key }, cwd).stripeApiKey).toBe(key);
  expect(load('worker', {}, cwd).stripeApiKey).toBeNull();
});

test('what is no API key is refused without being shown', () => {
  for (const given of ['file:/nowhere/at-all', 'env:NO_SUCH_KEY', 'pk_live_51HpublishableKey', `${key} `]) {
    const problems = problemsOf('worker', { STRIPE_API_KEY: given });
    expect(problems, given).toHaveLength(1);
    expect(problems[0]).toContain('STRIPE_API_KEY');
    expect(problems[0]).not.toContain('51H');
  }
});
