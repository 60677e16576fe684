import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { appendTo, claimMessages, notingSink, outboxRow, testRelay } from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { emptyTables } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

/** One stuck message with two behind it, one that failed and waits, one without a sink. */
async function seed(): Promise<readonly string[]> {
  const ids = await appendTo(db.database, 'stuck', 'stuck', 'stuck', 'failing', 'nobody');
  await db.database.pool.query("update outbox set topic = 'nobody.cares' where aggregate = 'nobody'");
  const sink = notingSink(({ aggregate }) =>
    aggregate === 'stuck'
      ? { outcome: 'permanent', reason: 'answered 410: \u001b[31mgone' }
      : { outcome: 'transient', reason: 'answered 503', retryAfterMs: 600_000 },
  );
  const relay = testRelay(db.database, sink, { routes: [{ topics: ['thing.*'], sink }] });
  await waitFor('everything to come to where it stays', async () => {
    const { rows } = await db.database.pool.query(
      "select from outbox where state in ('held', 'needs_review', 'unrouted') or last_error = 'answered 503'",
    );
    return rows.length === ids.length;
  });
  await relay.drain();
  return ids;
}

test('outbox lists what is stuck with what waits behind it and why, what is tried next and when, and what has no sink', async () => {
  const ids = await seed();
  expect(await runJson(['outbox'], db)).toMatchObject({
    messages: [
      {
        id: ids[0],
        state: 'needs_review',
        aggregate: 'stuck',
        attempts: 1,
        behind: 2,
        lastError: 'answered 410: \u001b[31mgone',
      },
      { id: ids[3], state: 'pending', aggregate: 'failing', attempts: 1, behind: 0, lastError: 'answered 503' },
    ],
    unrouted: [{ topic: 'nobody.cares', messages: 1, oldestId: ids[4] }],
  });
  const { code, stdout } = await runMailroom(['outbox'], db);
  expect(code).toBe(0);
  expect(stdout).toMatch(/needs_review +thing\.happened +stuck +1 +2 +a person +answered 410: \\u001b\[31mgone/);
  expect(stdout).toMatch(/pending +thing\.happened +failing +1 +0 +in (9m|10m).* +answered 503/);
  expect(stdout).toMatch(/nobody\.cares +1/);
  expect((await runMailroom(['outbox', '--ids'], db)).stdout).toBe(`${ids[0]}\n`);
});

test('retry makes a message due with all its attempts; skip lets the next go; both answer every id and are on record', async () => {
  const ids = await seed();
  const retried = await runMailroom(['outbox', 'retry', ids[3] ?? '', '--reason', 'it is up again'], db);
  expect([retried.code, retried.stdout]).toEqual([0, expect.stringMatching(/retried +\d+ +due now/)]);
  expect(await outboxRow(db.database, ids[3])).toMatchObject({ state: 'pending', attempts: 0 });

  const skipped = await runJson(['outbox', 'skip', ids[0] ?? '', ids[2] ?? '', '777777', '--reason', 'by hand'], db);
  expect(skipped).toEqual({
    results: [
      { id: ids[0], outcome: 'done' },
      { id: ids[2], outcome: 'done' },
      { id: '777777', outcome: 'not_found' },
    ],
    done: 2,
    refused: 1,
  });
  expect(await outboxRow(db.database, ids[1])).toMatchObject({ state: 'pending' });
  const claimed = await claimMessages(db.database);
  expect(claimed.map(({ id }) => id)).toEqual([ids[1], ids[3]]);
  const refused = await runMailroom(['outbox', 'retry', ids[1] ?? '', ids[0] ?? '', '--reason', 'r'], db);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/skipped[\s\S]*claimed/)]);

  const { rows } = await db.database.pool.query(
    'select actor, action, reason, affected from operator_actions order by action_id',
  );
  expect(rows).toEqual([
    { actor: 'tester', action: 'outbox_retry', reason: 'it is up again', affected: '1' },
    { actor: 'tester', action: 'outbox_skip', reason: 'by hand', affected: '2' },
    { actor: 'tester', action: 'outbox_retry', reason: 'r', affected: '0' },
  ]);
});

test('an action without a reason, without ids or with what is no id is a usage error and does nothing', async () => {
  const [id = ''] = await appendTo(db.database, 'a');
  for (const args of [
    ['retry', id],
    ['skip', '--reason', 'r'],
    ['skip', 'seven', '--reason', 'r'],
    ['send', id],
  ]) {
    const answer = await runMailroom(['outbox', ...args], db);
    expect([answer.code, answer.stdout], args.join(' ')).toEqual([2, '']);
  }
  expect(await outboxRow(db.database, id)).toMatchObject({ state: 'pending' });
  expect((await db.database.pool.query('select from operator_actions')).rowCount).toBe(0);
});

test('status counts what has not left, and says what to type', async () => {
  const ids = await seed();
  expect(await runJson(['status'], db)).toMatchObject({
    outbox: { pending: 1, held: 2, needsReview: 1, unrouted: 1 },
    advice: expect.arrayContaining([
      expect.objectContaining({ problem: '1 message in the outbox need review' }),
      expect.objectContaining({ problem: '1 message in the outbox have no sink' }),
    ]) as unknown,
  });
  expect((await runMailroom(['status'], db)).stdout).toMatch(
    /1 pending, oldest .*, 2 behind others, 1 without a sink, 1 need review/,
  );
  expect(ids).toHaveLength(5);
});

test('doctor warns of topics that no sink takes, of what needs review, and of messages where there is no sink', async () => {
  await seed();
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-doctor-'));
  const file = join(folder, 'sinks.json');
  writeFileSync(file, JSON.stringify({ sinks: [{ name: 'log', type: 'log', topics: ['thing.*'] }] }));
  const found = async (env: Record<string, string>) => {
    const { findings } = await runJson<{ findings: { subject: string; level: string; found: string }[] }>(['doctor'], {
      ...db,
      env,
    });
    return findings.filter(({ subject }) => subject === 'outbox').map(({ level, found: what }) => `${level}: ${what}`);
  };
  expect(await found({})).toEqual([
    'wrong: no sink takes nobody.cares (1)',
    expect.stringMatching(/^note: 1 messages wait, the oldest for .*, and there is no sink in this configuration$/),
    'wrong: 1 messages need review',
  ]);
  expect(await found({ MAILROOM_SINKS_FILE: file })).toEqual([
    'wrong: no sink takes nobody.cares (1)',
    'wrong: 1 messages need review',
  ]);
  const config = await runMailroom(['config', '--role', 'worker'], { ...db, env: { MAILROOM_SINKS_FILE: file } });
  expect(config.stdout).toMatch(/log +log +thing\.\* +the log of the worker/);
  rmSync(folder, { recursive: true });
});
