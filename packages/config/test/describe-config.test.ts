import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeConfig } from '../src/describe-config.ts';
import { providers, stripeSecret, workingDirectory } from './support.ts';

const file = 'mailroom.endpoints.json';

describe('describing the configuration', () => {
  test('each value comes with where it is from, and secrets are redacted', () => {
    const cwd = workingDirectory();
    const env = {
      DATABASE_URL: 'postgres://app:hunter2@db:5432/mail?sslmode=require',
      STRIPE_WEBHOOK_SECRET: stripeSecret,
    };
    const { settings, endpoints, problems } = describeConfig('ingest', { env, cwd, providers });
    const byName = Object.fromEntries(settings.map(({ name, value, source }) => [name, [value, source]]));
    expect(byName).toMatchObject({
      PORT: ['8080', 'default'],
      MAILROOM_HOME: [`${cwd}/.mailroom`, 'default'],
      MAILROOM_RELEASE: ['(none)', 'default'],
      DATABASE_URL: ['postgres://app:[redacted]@db:5432/mail?sslmode=require', 'environment'],
      STRIPE_WEBHOOK_SECRET: ['[redacted]', 'environment'],
    });
    const secret = { label: 'env', value: '[redacted]', from: 'env:STRIPE_WEBHOOK_SECRET' };
    expect(endpoints).toMatchObject([
      { provider: 'stripe', endpoint: 'billing', source: 'default', secrets: [secret] },
    ]);
    expect(problems).toEqual([]);
  });

  test('endpoints of a file name the file, and their secrets the places', () => {
    const secrets = ['env:STRIPE_WEBHOOK_SECRET', { label: 'new', from: 'file:./key' }];
    const cwd = workingDirectory({
      [file]: { endpoints: [{ provider: 'stripe', endpoint: 'a', secrets }] },
      key: `${stripeSecret}x`,
    });
    const described = describeConfig('ingest', { env: { STRIPE_WEBHOOK_SECRET: stripeSecret }, cwd, providers });
    expect(described.endpoints).toMatchObject([
      {
        source: { file: `${cwd}/${file}` },
        secrets: [{ from: 'env:STRIPE_WEBHOOK_SECRET' }, { label: 'new', from: `file:${cwd}/key` }],
      },
    ]);
  });

  test('what is wrong is described with the rest, and does not throw', () => {
    const env = { PORT: 'x', MAILROOM_HOEM: 'y', LOG_LEVEL: 'debug' };
    const described = describeConfig('ingest', { env, cwd: workingDirectory(), providers });
    expect(described.problems).toHaveLength(2);
    expect(described.warnings).toHaveLength(1);
    expect(described.settings.find(({ name }) => name === 'PORT')).toMatchObject({ value: '(invalid)' });
    expect(described.settings.find(({ name }) => name === 'LOG_LEVEL')).toMatchObject({ value: 'debug' });
  });

  test('only what the role reads is shown', () => {
    const names = describeConfig('worker', { env: {}, cwd: workingDirectory(), providers }).settings.map(
      ({ name }) => name,
    );
    expect(names).toContain('WORKER_LEASE_MS');
    expect(names).not.toContain('PORT');
  });

  test('nothing is written', () => {
    const cwd = workingDirectory();
    const { endpoints, problems } = describeConfig('local', { env: {}, cwd, providers });
    expect(problems).toEqual([]);
    expect(endpoints[0]?.secrets[0]?.from).toContain('made by the first npm start');
    expect(existsSync(`${cwd}/.mailroom`)).toBe(false);
  });
});
