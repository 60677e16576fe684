import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runMailroom } from './run-mailroom.ts';

const secret = 'whsec_0123456789abcdefghijklmnopqrstuv';
const url = 'postgres://someone:s3cret@db.example:5432/mailroom';
let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'mailroom-ops-'))));
afterAll(() => rm(home, { recursive: true, force: true }));

interface Description {
  readonly roles: readonly string[];
  readonly settings: readonly { readonly name: string; readonly value: string; readonly source: unknown }[];
  readonly endpoints: readonly {
    readonly provider: string;
    readonly endpoint: string;
    readonly secrets: readonly object[];
  }[];
  readonly problems: readonly string[];
}

test('config shows every value with where it came from, and no secret, in both forms', async () => {
  const file = join(home, 'endpoints.json');
  const endpoint = {
    provider: 'stripe',
    endpoint: 'billing',
    secrets: [{ label: 'live', from: 'env:BILLING_SECRET' }],
  };
  await writeFile(file, JSON.stringify({ endpoints: [endpoint] }));
  const env = { MAILROOM_ENDPOINTS_FILE: file, BILLING_SECRET: secret, PORT: '9999' };

  const plain = await runMailroom(['config', '--role', 'ingest'], { url, env });
  const json = await runMailroom(['config', '--role', 'ingest', '--json'], { url, env });

  const description = JSON.parse(json.stdout) as Description;
  expect(description.problems).toEqual([]);
  expect(plain.code).toBe(0);
  expect(json.code).toBe(0);
  expect(description.settings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'PORT', value: '9999', source: 'environment' }),
      expect.objectContaining({ name: 'HOST', source: 'default' }),
    ]),
  );
  expect(description.endpoints).toMatchObject([{ provider: 'stripe', endpoint: 'billing', secrets: [{}] }]);
  expect(plain.stdout).toMatch(/PORT\s+9999\s+environment/);
  for (const { stdout, stderr } of [plain, json]) {
    for (const hidden of [secret, secret.slice(8), 's3cret']) expect(stdout + stderr).not.toContain(hidden);
  }
});

test('config lists all problems at once and exits with 1', async () => {
  const env = { PORT: 'eighty', LOG_LEVEL: 'loud', WORKER_SLOTS: '0', STRIPE_WEBHOOK_SECRET: ` ${secret}` };
  const answer = await runMailroom(['config'], { url, env });
  expect(answer.code).toBe(1);
  for (const name of ['PORT', 'LOG_LEVEL', 'WORKER_SLOTS', 'STRIPE_WEBHOOK_SECRET']) {
    expect(answer.stdout).toMatch(new RegExp(`^  ! ${name}: found .*; right: `, 'm'));
  }
  expect(answer.stdout).not.toContain(secret);
});

test('without --role config speaks of npm start where DATABASE_URL is unset, else of the three processes', async () => {
  const local = await runMailroom(['config', '--json'], { url: null, env: { MAILROOM_HOME: home } });
  expect(local.code).toBe(0);
  expect(JSON.parse(local.stdout)).toMatchObject({ roles: ['local'] });
  const env = { STRIPE_WEBHOOK_SECRET: secret };
  const production = JSON.parse((await runMailroom(['config', '--json'], { url, env })).stdout) as Description;
  expect(production.roles).toEqual(['ingest', 'worker', 'ops']);
  const names = production.settings.map(({ name }) => name);
  expect(names).toHaveLength(new Set(names).size);
  expect(names).toEqual(expect.arrayContaining(['PORT', 'WORKER_SLOTS']));
});
