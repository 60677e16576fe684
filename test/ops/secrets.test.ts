import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretUseRecorder } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';

interface Secrets {
  readonly secrets: readonly { readonly label: string; readonly validity: string; readonly matchesLately: number }[];
  readonly configurationIsWhole: boolean;
}

let db: TestDatabase;
let home: string;
beforeAll(async () => {
  db = await createTestDatabase();
  home = await mkdtemp(join(tmpdir(), 'mailroom-secrets-'));
});
afterAll(async () => {
  await db.drop();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => db.database.pool.query('delete from inbox_secret_uses'));

const billing = { provider: 'stripe', endpoint: 'billing' };
const newSecret = 'whsec_test0new0secret0of0the0secrets0tests';
const oldSecret = 'whsec_test0old0secret0of0the0secrets0tests';

test('shows for each label when it is valid, when it last matched and how often, and never a secret', async () => {
  await match({ new: 2 });
  await match({ new: 1, gone: 4 });
  await db.database.pool.query(
    `insert into inbox_secret_uses values ('stripe', 'billing', 'old', current_date - 20, 9, now() - interval '20 days')`,
  );
  const env = await configured();
  const plain = await runMailroom(['secrets'], { url: db.url, env });
  expect(plain.code).toBe(0);
  const lines = plain.stdout.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | '));
  expect(lines[1]).toMatch(/^stripe\/billing \| new \| always \| .*(now|ago) \| 3 \| env:NEW_TEST_SECRET$/);
  expect(lines[2]).toMatch(
    /^stripe\/billing \| old \| over: until 2020-01-01 .* \| 20d ago \| 0 \| env:OLD_TEST_SECRET$/,
  );
  expect(lines[3]).toMatch(/^stripe\/billing \| gone \| not configured here \| .* \| 4$/);
  for (const secret of [newSecret, oldSecret]) expect(plain.stdout + plain.stderr).not.toContain(secret);

  const json = await runJson<Secrets>(['secrets'], { url: db.url, env });
  expect(json.configurationIsWhole).toBe(true);
  expect(json.secrets.map(({ label, validity, matchesLately }) => [label, validity, matchesLately])).toEqual([
    ['new', 'valid', 3],
    ['old', 'too_late', 0],
    ['gone', 'not_configured', 4],
  ]);
});

test('where the secrets are not, it shows what matched and says so', async () => {
  await match({ new: 1 });
  const { code, stdout, stderr } = await runMailroom(['secrets'], { url: db.url });
  expect(code).toBe(0);
  expect(stdout).toMatch(/new\s+not configured here/);
  expect(stderr).toContain('not whole here');
});

async function match(counts: Readonly<Record<string, number>>): Promise<void> {
  const recorder = createSecretUseRecorder(db.database, silentLogger);
  for (const [secretLabel, count] of Object.entries(counts)) {
    for (let at = 0; at < count; at += 1) recorder.matched({ ...billing, secretLabel });
  }
  await recorder.close();
}

async function configured(): Promise<Readonly<Record<string, string>>> {
  const file = join(home, 'endpoints.json');
  const secrets = [
    { label: 'new', from: 'env:NEW_TEST_SECRET' },
    { label: 'old', from: 'env:OLD_TEST_SECRET', notAfter: '2020-01-01T00:00:00Z' },
  ];
  await writeFile(file, JSON.stringify({ endpoints: [{ ...billing, secrets }] }));
  return { MAILROOM_ENDPOINTS_FILE: file, NEW_TEST_SECRET: newSecret, OLD_TEST_SECRET: oldSecret };
}
