import { skipStuck } from '@mailroom/inbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { inboxRow } from '../support/inbox-fixtures.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { emptyTables, inState, seedEvent } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(async () => {
  await emptyTables(db.database);
  for (const table of ['pauses', 'inbox_objects']) await db.database.pool.query(`delete from ${table}`);
});

const actions = () => db.database.kysely.selectFrom('operator_actions').selectAll().orderBy('action_id').execute();

test('a pause is opened once, listed with what it holds, ended once, and all of it is on record', async () => {
  const paused = await runMailroom(['pause', '--endpoint', 'stripe/billing', '--reason', 'moving house'], db);
  expect(paused.code).toBe(0);
  const id = /paused endpoint stripe\/billing as (\d+)/.exec(paused.stdout)?.[1] ?? '';
  expect(id).not.toBe('');
  await seedEvent(db.database, 'evt_1', { row: { ...inState.held, held_by: `pause:${id}` } });

  const again = await runMailroom(['pause', '--endpoint', 'stripe/billing', '--reason', 'twice'], db);
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('is paused already')]);
  expect(await runJson(['pauses'], db)).toMatchObject({
    pauses: [{ pauseId: id, scope: 'endpoint', held: 1, openedBy: 'tester', reason: 'moving house' }],
  });
  const resumed = await runMailroom(['resume', id, '--reason', 'unpacked', '--actor', 'alice'], db);
  expect(resumed.code).toBe(0);
  expect((await runMailroom(['resume', id, '--reason', 'unpacked'], db)).code).toBe(1);
  expect((await runMailroom(['pauses'], db)).stdout).toBe('nothing is paused\n');
  expect((await actions()).map(({ actor, action, reason }) => [actor, action, reason])).toEqual([
    ['tester', 'pause', 'moving house'],
    ['alice', 'resume', 'unpacked'],
  ]);
});

test('what to pause must be said once and well', async () => {
  for (const args of [[], ['--endpoint', 'stripe'], ['--endpoint', 'stripe/billing', '--group', 'a']]) {
    const answer = await runMailroom(['pause', ...args, '--reason', 'r'], db);
    expect([answer.code, answer.stdout]).toEqual([2, '']);
  }
  expect((await runMailroom(['resume', 'seven', '--reason', 'r'], db)).code).toBe(2);
});

test('skip lets the next event of an object overtake a stuck one, and only a stuck one', async () => {
  const head = await seedEvent(db.database, 'evt_head', { row: { ...inState.exhausted, object_key: 'invoice/in_1' } });
  const held = { ...inState.held, object_key: 'invoice/in_1', held_by: 'object:invoice/in_1' };
  const next = await seedEvent(db.database, 'evt_next', { row: held });
  await db.database.pool.query(
    "insert into inbox_objects (provider, object_key, endpoint, event_id) values ('stripe', 'invoice/in_1', 'billing', 'evt_head')",
  );
  expect((await runMailroom(['skip', next, '--reason', 'r'], db)).code).toBe(1);
  expect((await runMailroom(['skip', head, '--reason', 'superseded'], db)).code).toBe(0);
  expect(await inboxRow(db.database, 'evt_next')).toMatchObject({ state: 'pending', held_by: null });
  expect(await inboxRow(db.database, 'evt_head')).toMatchObject({ state: 'exhausted' });
  expect(await actions()).toMatchObject([{ action: 'skip', reason: 'superseded', affected: '1' }]);
  const key = { provider: 'stripe', endpoint: 'billing', eventId: 'evt_head' };
  await expect(skipStuck(db.database, key, 'a', 'again')).rejects.toMatchObject({ code: 'not_stuck' });
});
