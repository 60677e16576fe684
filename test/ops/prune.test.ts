import { retentionRules } from '@mailroom/inbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { seedOldEvent, seedOldRows } from '../inbox/old-rows.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(async () => {
  for (const { table } of retentionRules) await db.database.pool.query(`delete from ${table}`);
  await db.database.pool.query('delete from housekeeping');
  await seedOldEvent(db.database, { eventId: 'old', days: 400 });
  await seedOldEvent(db.database, { eventId: 'young', days: 1 });
  await seedOldEvent(db.database, { eventId: 'stuck', days: 400, state: 'rejected' });
  await seedOldRows(db.database, 'old', 400);
});

const eventIds = async () => {
  const rows = await db.database.kysely.selectFrom('webhook_inbox').select('event_id').orderBy('event_id').execute();
  return rows.map((row) => row.event_id);
};

test('prune --dry-run counts what would go by rule, and deletes nothing', async () => {
  const answer = await runMailroom(['prune', '--dry-run'], db);
  expect(answer).toMatchObject({ code: 0, stderr: '' });
  expect(answer.stdout).toMatch(/^TABLE\s+WHAT\s+KEPT\s+WOULD GO$/m);
  expect(answer.stdout).toMatch(/^webhook_inbox\s+finished events\s+90d\s+1$/m);
  expect(answer.stdout).toMatch(/^webhook_delivery\s+bodies of finished events\s+30d\s+1$/m);
  expect(await eventIds()).toEqual(['old', 'stuck', 'young']);
});

test('prune deletes it, by the retention of its environment', async () => {
  const env = { LEDGER_RETENTION_DAYS: '500' };
  const kept = await runJson<Answer>(['prune'], { url: db.url, env });
  expect(kept.rows.find(({ table }) => table === 'webhook_inbox')).toMatchObject({ days: 500, rows: 0 });
  const { rows, dryRun } = await runJson<Answer>(['prune'], db);
  expect(dryRun).toBe(false);
  expect(rows.map(({ table }) => table)).toEqual(retentionRules.map(({ table }) => table));
  expect(rows.find(({ table }) => table === 'webhook_inbox')).toMatchObject({ days: 90, rows: 1 });
  expect(await eventIds()).toEqual(['stuck', 'young']);
});

test('prune leaves everything to another that is at it, and exits with 1', async () => {
  await db.database.pool.query(
    `insert into housekeeping values ('prune', 'w1', now() + interval '1 minute', now(), null)`,
  );
  const answer = await runMailroom(['prune'], db);
  expect(answer.code).toBe(1);
  expect(answer.stderr).toContain('somebody else is pruning');
  expect(await eventIds()).toHaveLength(3);
});

test('prune refuses a retention that is shorter than the provider of an event redelivers', async () => {
  const env = { LEDGER_RETENTION_DAYS: '30' };
  const answer = await runMailroom(['prune'], { url: db.url, env });
  expect(answer.code).toBe(2);
  expect(answer.stderr).toContain('events of stripe may come again for 30 days');
  expect(await eventIds()).toHaveLength(3);
});

interface Answer {
  readonly dryRun: boolean;
  readonly rows: readonly { readonly table: string; readonly days: number; readonly rows: number }[];
}
