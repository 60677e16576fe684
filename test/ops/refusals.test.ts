import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Answer, runMailroom } from './run-mailroom.ts';
import { seedEvent } from './seed-event.ts';

let db: TestDatabase;
let empty: TestDatabase;
let home: string;
beforeAll(async () => {
  db = await createTestDatabase();
  empty = await createEmptyDatabase();
  home = await mkdtemp(join(tmpdir(), 'mailroom-ops-'));
  await seedEvent(db.database, 'evt_1');
});
afterAll(async () => {
  await db.drop();
  await empty.drop();
  await rm(home, { recursive: true, force: true });
});

const commands = [
  ['status'],
  ['list'],
  ['show', 'stripe/billing/evt_1'],
  ['body', 'stripe/billing/evt_1'],
  ['retry', 'stripe/billing/evt_1', '--reason', 'mended'],
  ['migrate'],
];

/** What every refusal must be: a plain line or a few on standard error, no stack, no password. */
function plainRefusal({ code, stdout, stderr }: Answer) {
  return { code, stdout, hasStack: /^\s+at /m.test(stderr), leaks: stderr.includes('s3cret') };
}

const plainlyRefused = { stdout: '', hasStack: false, leaks: false };

test.each(commands)('%s: a database that does not answer is one plain line and exit code 3', async (...args) => {
  const answer = await runMailroom(args, { url: 'postgres://someone:s3cret@127.0.0.1:1/mailroom' });
  expect(plainRefusal(answer)).toEqual({ ...plainlyRefused, code: 3 });
  expect(answer.stderr).toContain('127.0.0.1:1/mailroom: connection refused');
});

test.each([
  ['user', { username: 'nobody_of_this_name', password: 's3cret' }, 'nobody_of_this_name'],
  ['database', { pathname: '/not_there' }, 'not_there'],
])('a wrong %s is exit code 3', async (_what, wrong, words) => {
  const answer = await runMailroom(['status'], { url: Object.assign(new URL(db.url), wrong).href });
  expect(plainRefusal(answer)).toEqual({ ...plainlyRefused, code: 3 });
  expect(answer.stderr).toContain(words);
});

test.each(commands.slice(0, 5))('%s: a database without tables says to migrate, exit code 4', async (...args) => {
  const answer = await runMailroom(args, empty);
  expect(plainRefusal(answer)).toEqual({ ...plainlyRefused, code: 4 });
  expect(answer.stderr).toContain('npm run mailroom -- migrate');
});

test('without DATABASE_URL and without a local database the message says what to do, exit code 3', async () => {
  const answer = await runMailroom(['status'], { url: null, env: { MAILROOM_HOME: home } });
  expect(plainRefusal(answer)).toEqual({ ...plainlyRefused, code: 3 });
  expect(answer.stderr).toContain('npm start');
  expect(answer.stderr).toContain(home);
});

test('a configuration that is wrong is refused before anything is done, with every problem', async () => {
  const answer = await runMailroom(['status'], {
    url: 'not a url s3cret',
    env: { LOG_LEVEL: 'loud', DATABASE_CONNECT_TIMEOUT_MS: 'soon' },
  });
  expect(plainRefusal(answer)).toEqual({ ...plainlyRefused, code: 2 });
  expect(answer.stderr).toContain('DATABASE_URL');
  expect(answer.stderr).toContain('LOG_LEVEL');
  expect(answer.stderr).toContain('DATABASE_CONNECT_TIMEOUT_MS');
});

test('with --json a refusal is a JSON document too', async () => {
  const answer = await runMailroom(['status', '--json'], { url: 'postgres://someone:s3cret@127.0.0.1:1/mailroom' });
  expect(answer.code).toBe(3);
  expect(JSON.parse(answer.stdout)).toEqual({
    error: { code: 'database_unreachable', message: expect.stringContaining('connection refused') },
  });
  const usage = await runMailroom(['list', '--limit', 'x', '--json'], db);
  expect(usage.code).toBe(2);
  expect(JSON.parse(usage.stdout)).toMatchObject({ error: { code: 'usage' } });
});
