import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { inboxRow } from '../support/inbox-fixtures.ts';
import { runMailroom } from './run-mailroom.ts';
import { inState, seedEvent, seedFailure } from './seed-event.ts';

const role = `mailroom_reader_${randomUUID().slice(0, 8)}`;
const urls = { readOnlyConnection: '', selectOnlyRole: '' };
let db: TestDatabase;
let key: string;

beforeAll(async () => {
  db = await createTestDatabase();
  key = await seedEvent(db.database, 'evt_1', { row: inState.exhausted });
  await seedFailure(db.database, 'evt_1');

  const readOnly = new URL(db.url);
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
  urls.readOnlyConnection = readOnly.href;

  const { pool } = db.database;
  await pool.query(`create role ${role} login password 'reading'`);
  await pool.query(`grant select on all tables in schema public to ${role}`);
  const reader = new URL(db.url);
  reader.username = role;
  reader.password = 'reading';
  urls.selectOnlyRole = reader.href;
});

afterAll(async () => {
  await db.database.pool.query(`drop owned by ${role}`);
  await db.database.pool.query(`drop role ${role}`);
  await db.drop();
});

describe.each(['readOnlyConnection', 'selectOnlyRole'] as const)('with a %s', (kind) => {
  test.each([
    ['status'],
    ['list', '--state', 'exhausted'],
    ['list', '--endpoint', 'stripe/billing', '--error', 'used up'],
    ['show', 'stripe/billing/evt_1'],
    ['body', 'stripe/billing/evt_1'],
  ])('%s works', async (...args) => {
    const answer = await runMailroom(args, { url: urls[kind] });
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).not.toBe('');
  });

  test('retry is refused in one plain line and changes nothing', async () => {
    const answer = await runMailroom(['retry', key, '--reason', 'mended'], { url: urls[kind] });
    expect(answer).toMatchObject({ code: 4, stdout: '' });
    expect(answer.stderr).toMatch(kind === 'selectOnlyRole' ? /may not do that/ : /read-only/);
    expect(answer.stderr).not.toMatch(/^\s+at /m);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'exhausted' });
  });

  test('migrate is refused in one plain line', async () => {
    const answer = await runMailroom(['migrate'], { url: urls[kind] });
    expect(answer).toMatchObject({ code: 4, stdout: '' });
    expect(answer.stderr).not.toMatch(/^\s+at /m);
  });
});
