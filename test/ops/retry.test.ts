import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { inboxRow } from '../support/inbox-fixtures.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { ago, emptyTables, inState, leasedBy, seedEvent, seedFailure } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

const actions = () => db.database.kysely.selectFrom('operator_actions').selectAll().execute();

test('retry resets an exhausted event whole, keeps its history, and records who and why', async () => {
  const key = await seedEvent(db.database, 'evt_1', {
    row: { ...inState.exhausted, infra_retries: 4, last_error: 'no such order', available_at: ago(-9_000) },
  });
  await seedFailure(db.database, 'evt_1');

  const answer = await runMailroom(['retry', key, '--reason', 'orders restored', '--actor', 'alice'], db);

  expect(answer.code).toBe(0);
  expect(answer.stdout).toMatch(/^retried\s+stripe\/billing\/evt_1\b/m);
  const row = await inboxRow(db.database, 'evt_1');
  expect(row).toMatchObject({
    state: 'pending',
    state_reason: null,
    attempts: 0,
    infra_retries: 0,
    total_attempts: 25,
  });
  expect(row.available_at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(await db.database.kysely.selectFrom('inbox_failures').selectAll().execute()).toHaveLength(1);
  expect(await actions()).toMatchObject([
    { actor: 'alice', action: 'retry', reason: 'orders restored', affected: '1' },
  ]);
});

test('without --actor the login name is recorded', async () => {
  const key = await seedEvent(db.database, 'evt_1', { row: inState.rejected });
  await runMailroom(['retry', key, '--reason', 'mended'], db);
  expect(await actions()).toMatchObject([{ actor: 'tester' }]);
});

test('retry answers every key, touches none that is leased or finished, and exits with 1 for them', async () => {
  const leased = leasedBy('w1', 60);
  await seedEvent(db.database, 'evt_held', { row: inState.held });
  await seedEvent(db.database, 'evt_leased', { row: leased });
  await seedEvent(db.database, 'evt_done', { row: inState.processed });
  await seedEvent(db.database, 'evt_nothing', { row: inState.ignored });
  await seedEvent(db.database, 'evt_dark', { row: inState.quarantined });
  const ids = ['evt_held', 'evt_leased', 'evt_done', 'evt_nothing', 'evt_dark', 'evt_none'];
  const keys = ids.map((id) => `stripe/billing/${id}`);

  const answer = await runMailroom(['retry', ...keys, '--reason', 'mended', '--json'], db);

  expect(answer.code).toBe(1);
  const document: unknown = JSON.parse(answer.stdout);
  expect(document).toMatchObject({ retried: 1, refused: 5 });
  const outcomes = (document as { results: { key: string; outcome: string }[] }).results;
  expect(Object.fromEntries(outcomes.map(({ key, outcome }) => [key.split('/').at(-1), outcome]))).toEqual({
    evt_held: 'retried',
    evt_leased: 'leased',
    evt_done: 'processed',
    evt_nothing: 'ignored',
    evt_dark: 'quarantined',
    evt_none: 'not_found',
  });
  expect(await inboxRow(db.database, 'evt_held')).toMatchObject({ state: 'pending', held_by: null });
  expect(await inboxRow(db.database, 'evt_leased')).toMatchObject({ lease_token: leased.lease_token, attempts: 1 });
  expect((await inboxRow(db.database, 'evt_done')).processed_at).not.toBeNull();
  expect(await actions()).toMatchObject([{ affected: '1' }]);
});

test('an event id with slashes is one key', async () => {
  const key = await seedEvent(db.database, 'a/b//c', { row: inState.exhausted });
  const document = await runJson(['retry', key, '--reason', 'mended'], db);
  expect(document).toMatchObject({ results: [{ key: 'stripe/billing/a/b//c', outcome: 'retried' }] });
});

test('nothing is retried without a reason, with an empty one, or where one key is malformed', async () => {
  const key = await seedEvent(db.database, 'evt_1', { row: inState.exhausted });
  for (const args of [[key], [key, '--reason', '  '], [key, 'evt_2', '--reason', 'mended'], ['--reason', 'mended']]) {
    const answer = await runMailroom(['retry', ...args], db);
    expect(answer.code, args.join(' ')).toBe(2);
    expect(answer.stdout).toBe('');
  }
  expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'exhausted' });
  expect(await actions()).toEqual([]);
});
