import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runMailroom } from './run-mailroom.ts';

interface Finding {
  readonly level: 'fine' | 'note' | 'wrong';
  readonly subject: string;
  readonly found: string;
  readonly advice: string | null;
}

let db: TestDatabase;
let home: string;
beforeAll(async () => {
  db = await createTestDatabase();
  home = await mkdtemp(join(tmpdir(), 'mailroom-doctor-'));
});
afterAll(async () => {
  await db.drop();
  await rm(home, { recursive: true, force: true });
});

const secret = 'whsec_test0secret0of0the0doctor0tests000';
const stripe = { provider: 'stripe', endpoint: 'billing', secrets: ['env:DOCTOR_TEST_SECRET'] };

test('finds nothing wrong where nothing is, and exits with 0', async () => {
  const { code, findings } = await examine({ endpoints: [stripe] });
  expect(findings.filter(({ level }) => level === 'wrong')).toEqual([]);
  expect(code).toBe(0);
  const subjects = new Set(findings.map(({ subject }) => subject));
  expect([...subjects].toSorted((a, b) => a.localeCompare(b))).toEqual(
    expect.arrayContaining([
      'clocks',
      'configuration',
      'durability',
      'migrations',
      'stripe/billing',
      'vacuum',
      'version',
    ]),
  );
});

test.each([
  [
    'a retention shorter than the provider redelivers',
    { env: { LEDGER_RETENTION_DAYS: '30' } },
    'LEDGER_RETENTION_DAYS',
  ],
  [
    'an answer limit below our deadline',
    { endpoints: [{ ...stripe, provider: 'slack', secrets: ['env:PLAIN_TEST_SECRET'] }], env: slowAnswers() },
    'INGEST_ANSWER_DEADLINE_MS is 5000',
  ],
  [
    'a batch that exceeds the body limit',
    {
      endpoints: [
        { provider: 'gocardless', endpoint: 'debits', secrets: ['env:PLAIN_TEST_SECRET'], maxBodyBytes: 2048 },
      ],
    },
    'maxBodyBytes is 2,048',
  ],
  [
    'secrets whose time is over',
    { endpoints: [{ ...stripe, secrets: [{ from: 'env:DOCTOR_TEST_SECRET', notAfter: '2020-01-01T00:00:00Z' }] }] },
    'none of its secrets is valid',
  ],
  ['timeouts that do not fit the lease', { env: { WORKER_LEASE_MS: '20000' } }, 'WORKER_LEASE_MS'],
  ['a configuration with a mistake', { env: { PORT: 'eighty' } }, 'PORT'],
])('warns of %s and exits with 1', async (_what, setup, expected) => {
  const { code, findings } = await examine({ endpoints: [stripe], ...setup });
  const wrongs = findings.filter(({ level }) => level === 'wrong');
  expect(wrongs.map(({ found, advice }) => `${found} ${advice}`).join('\n')).toContain(expected);
  expect(code).toBe(1);
});

test('warns of missing and of unknown migrations', async () => {
  const bare = await createEmptyDatabase();
  expect(wrongsOf(await examine({ endpoints: [stripe], url: bare.url }))).toEqual(['migrations: none is applied']);
  await migrate({ url: bare.url, deadlineMs: 30_000, log: silentLogger });
  await bare.database.pool.query(`delete from mailroom_migrations where name like '0004%'`);
  await bare.database.pool.query(`update mailroom_migrations set checksum = 'other' where name like '0001%'`);
  await bare.database.pool.query(`insert into mailroom_migrations values ('9999_later', 'x')`);
  const examined = await examine({ endpoints: [stripe], url: bare.url });
  expect(wrongsOf(examined)).toEqual([
    'migrations: not applied: 0004_rejections_and_secret_use',
    'migrations: changed after they were applied: 0001_inbox',
  ]);
  expect(examined.findings).toContainEqual(expect.objectContaining({ found: 'unknown to this release: 9999_later' }));
  await bare.drop();
});

test('warns of commits that a crash would lose', async () => {
  const { rows } = await db.database.pool.query<{ name: string }>('select current_database() as name');
  await db.database.pool.query(`alter database ${rows[0]?.name} set synchronous_commit = off`);
  expect(wrongsOf(await examine({ endpoints: [stripe] }))).toEqual(['durability: synchronous_commit is off']);
  await db.database.pool.query(`alter database ${rows[0]?.name} reset synchronous_commit`);
});

test('names a transaction that keeps vacuum from its work', async () => {
  const client = await db.database.pool.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select 1');
  const { findings, code } = await examine({ endpoints: [stripe] }, ['--open-longer-than', '0s']);
  expect(findings.filter(({ subject }) => subject === 'vacuum')).toEqual([
    expect.objectContaining({
      level: 'wrong',
      found: expect.stringMatching(/^a transaction of mailroom-test .* has been open/),
    }),
  ]);
  expect(code).toBe(1);
  await client.query('rollback');
  client.release();
});

test('says that calls of Stripe wait for a key, or for a worker that has it, and who must not be called now', async () => {
  const { pool } = db.database;
  await pool.query(`insert into outbox (topic, aggregate, payload, state)
    values ('stripe.refetch', 'a', '{}', 'unrouted'), ('stripe.call', 'b', '{}', 'pending')`);
  expect(wrongsOf(await examine({ endpoints: [stripe] }))).toEqual([
    'STRIPE_API_KEY: not set, and 2 calls of Stripe wait for it',
  ]);
  await pool.query(
    `insert into provider_limits (provider, not_before, reason) values ('stripe', now() + interval '1 hour', 'too many')`,
  );
  const { findings, code } = await examine({ endpoints: [stripe], env: { STRIPE_API_KEY: 'rk_test_0doctor0tests' } });
  expect(code).toBe(0);
  expect(findings).toContainEqual(expect.objectContaining({ level: 'note', subject: 'STRIPE_API_KEY' }));
  expect(findings).toContainEqual(expect.objectContaining({ level: 'note', subject: 'limit of stripe' }));
  await pool.query('delete from outbox');
  await pool.query('delete from provider_limits');
});

test('says that there is no database, beside what else is wrong', async () => {
  const url = 'postgres://nobody:s3cret@127.0.0.1:1/none';
  const examined = await examine({
    endpoints: [stripe],
    url,
    env: { LEDGER_RETENTION_DAYS: '2', BODY_RETENTION_DAYS: '1' },
  });
  expect(wrongsOf(examined).map((line) => line.split(':')[0])).toEqual(['configuration', 'configuration', 'database']);
  expect(examined.code).toBe(1);
});

test('says it in words too, without a secret', async () => {
  const file = await endpointsFile([stripe]);
  const env = {
    MAILROOM_ENDPOINTS_FILE: file,
    DOCTOR_TEST_SECRET: secret,
    LEDGER_RETENTION_DAYS: '2',
    BODY_RETENTION_DAYS: '1',
  };
  const { code, stdout } = await runMailroom(['doctor'], { url: db.url, env });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^wrong\s+configuration\s+LEDGER_RETENTION_DAYS: found 2, and stripe\/billing may be sent an event again for 30 days/m,
  );
  // A note where the server is older than 17.
  expect(stdout).toMatch(/^(?:fine|note)\s+version\s+PostgreSQL/m);
  expect(stdout).not.toContain(secret);
});

interface Setup {
  readonly endpoints: readonly object[];
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function examine({ endpoints, url = db.url, env = {} }: Setup, args: readonly string[] = []) {
  const { code, stdout } = await runMailroom(['doctor', '--json', ...args], {
    url,
    env: {
      MAILROOM_ENDPOINTS_FILE: await endpointsFile(endpoints),
      DOCTOR_TEST_SECRET: secret,
      PLAIN_TEST_SECRET: 'a0plain0secret0of0the0doctor0tests00',
      ...env,
    },
  });
  return { code, findings: (JSON.parse(stdout) as { findings: readonly Finding[] }).findings };
}

function wrongsOf({ findings }: { readonly findings: readonly Finding[] }): readonly string[] {
  return findings.filter(({ level }) => level === 'wrong').map(({ subject, found }) => `${subject}: ${found}`);
}

function slowAnswers() {
  return { INGEST_ANSWER_DEADLINE_MS: '5000' };
}

async function endpointsFile(endpoints: readonly object[]): Promise<string> {
  const file = join(home, 'endpoints.json');
  await writeFile(file, JSON.stringify({ endpoints }));
  return file;
}
