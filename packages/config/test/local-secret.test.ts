import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureLocalSecret, localSecretPath } from '../src/local-secret.ts';
import { load, problemsOf, stripeSecret, workingDirectory } from './support.ts';

describe('the generated secret', () => {
  test('npm start makes it at first and finds it ever after', () => {
    const cwd = workingDirectory();
    const first = load('local', {}, cwd).endpoints;
    expect(first).toMatchObject([{ provider: 'stripe', endpoint: 'billing', secrets: [{ label: 'generated' }] }]);
    const value = first[0]?.secrets[0]?.value;
    expect(value).toMatch(/^whsec_[0-9a-f]{48}$/);
    expect(load('local', {}, cwd).endpoints[0]?.secrets[0]?.value).toBe(value);
  });

  test('has the same label for an ingestor that is handed it in STRIPE_WEBHOOK_SECRET, so that its matches are found', () => {
    const cwd = workingDirectory();
    const { value } = ensureLocalSecret(join(cwd, '.mailroom'));
    const labelOf = (secret: string) =>
      load('ingest', { STRIPE_WEBHOOK_SECRET: secret }, cwd).endpoints[0]?.secrets[0]?.label;
    expect(labelOf(value)).toBe('generated');
    expect(labelOf(stripeSecret)).toBe('env');
  });

  test('stands in <home>/stripe-webhook-secret with a line break, for its owner only', () => {
    const home = join(workingDirectory(), 'a', 'home');
    const { value } = ensureLocalSecret(home);
    expect(localSecretPath(home)).toBe(`${home}/stripe-webhook-secret`);
    expect(readFileSync(localSecretPath(home), 'utf8')).toBe(`${value}\n`);
    expect(statSync(localSecretPath(home)).mode & 0o777).toBe(0o600);
  });

  test('differs from home to home', () => {
    expect(ensureLocalSecret(workingDirectory()).value).not.toBe(ensureLocalSecret(workingDirectory()).value);
  });

  test('is not made where a secret is given, where something is wrong, or for an ingestor by itself', () => {
    const cwd = workingDirectory();
    load('local', { STRIPE_WEBHOOK_SECRET: stripeSecret }, cwd);
    problemsOf('local', { PORT: 'x' }, cwd);
    problemsOf('ingest', {}, cwd);
    expect(() => statSync(localSecretPath(join(cwd, '.mailroom')))).toThrow('ENOENT');
  });

  test('a file that holds something else is refused and left alone', () => {
    const cwd = workingDirectory({ '.mailroom/stripe-webhook-secret': 'hello' });
    const [problem] = problemsOf('local', {}, cwd);
    expect(problem).toContain('stripe-webhook-secret does not hold a secret; remove it and a new one is made');
    expect(readFileSync(localSecretPath(join(cwd, '.mailroom')), 'utf8')).toBe('hello');
  });

  test('a home that cannot be made is a problem, not a crash', () => {
    const cwd = workingDirectory({ file: '' });
    expect(problemsOf('local', { MAILROOM_HOME: 'file/home' }, cwd)[0]).toMatch(
      /^MAILROOM_HOME: found a generated secret/,
    );
  });
});
