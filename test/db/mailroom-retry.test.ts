import type { Database } from '@mailroom/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { insertRow, lease, type State, states } from './inbox-row.ts';

describe('mailroom_retry', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => db.database.pool.query('delete from webhook_inbox; delete from operator_actions'));
  afterAll(() => db.drop());

  const key = (state: string) => `stripe/billing/evt_${state}`;
  const retry = async (
    keys: readonly string[],
    reason: string | null = 'the bug is mended',
    database: Database = db.database,
  ) => {
    const { rows } = await database.pool.query<{ key: string; outcome: string }>(
      "select * from mailroom_retry($1, 'ada', $2)",
      [keys, reason],
    );
    return rows;
  };
  const row = async (state: string) => {
    const { rows } = await db.database.pool.query<Record<string, unknown>>(
      'select *, available_at <= now() as is_due from webhook_inbox where event_id = $1',
      [`evt_${state}`],
    );
    return rows[0];
  };

  const untouched: readonly State[] = ['quarantined', 'processed', 'ignored'];
  const retried = states.filter((state) => !untouched.includes(state));

  it.each(retried)('resets a row that is %s, whole, and keeps its total of attempts', async (state) => {
    await insertRow(db.database, state, { available_at: "now() + interval '1 hour'" });
    const before = await row(state);
    expect(await retry([key(state)])).toEqual([{ key: key(state), outcome: 'retried' }]);
    expect(await row(state)).toMatchObject({
      state: 'pending',
      state_reason: null,
      held_by: null,
      attempts: 0,
      infra_retries: 0,
      total_attempts: before?.['total_attempts'],
      processed_at: null,
      is_due: true,
    });
  });

  it.each(untouched)('says so when a row is %s, and does not touch it', async (state) => {
    await insertRow(db.database, state);
    const before = await row(state);
    expect(await retry([key(state)])).toEqual([{ key: key(state), outcome: state }]);
    expect(await row(state)).toEqual(before);
  });

  it('never touches a leased row', async () => {
    await insertRow(db.database, 'pending', lease);
    const before = await row('pending');
    expect(await retry([key('pending')])).toEqual([{ key: key('pending'), outcome: 'leased' }]);
    expect(await row('pending')).toEqual(before);
  });

  it('neither waits for nor touches a row that somebody else has locked', async () => {
    await insertRow(db.database, 'exhausted');
    const holder = await db.database.pool.connect();
    await holder.query('begin; select 1 from webhook_inbox for update');
    expect(await retry([key('exhausted')])).toEqual([{ key: key('exhausted'), outcome: 'leased' }]);
    await holder.query('rollback');
    holder.release();
    expect(await row('exhausted')).toMatchObject({ state: 'exhausted', attempts: 3 });
  });

  it('tells a key that is not there, a malformed one too, from one that cannot be retried', async () => {
    expect(await retry(['stripe/billing/evt_nowhere', 'nonsense', 'a/b'])).toEqual(
      expect.arrayContaining([
        { key: 'stripe/billing/evt_nowhere', outcome: 'not_found' },
        { key: 'nonsense', outcome: 'not_found' },
        { key: 'a/b', outcome: 'not_found' },
      ]),
    );
  });

  it('takes event ids with slashes', async () => {
    await insertRow(db.database, 'exhausted', { event_id: "'evt/with//slashes/'" });
    const slashes = 'stripe/billing/evt/with//slashes/';
    expect(await retry([slashes])).toEqual([{ key: slashes, outcome: 'retried' }]);
  });

  it('answers a key once, however often it is given', async () => {
    await insertRow(db.database, 'exhausted');
    expect(await retry([key('exhausted'), key('exhausted')])).toHaveLength(1);
  });

  it('records who did what to which rows and why', async () => {
    await insertRow(db.database, 'exhausted');
    await insertRow(db.database, 'processed');
    await retry([key('exhausted'), key('processed')]);
    const { rows } = await db.database.pool.query(
      'select actor, action, reason, affected, selection from operator_actions',
    );
    expect(rows).toEqual([
      {
        actor: 'ada',
        action: 'retry',
        reason: 'the bug is mended',
        affected: '1',
        selection: { keys: [key('exhausted'), key('processed')], retried: [key('exhausted')] },
      },
    ]);
  });

  it.each([null, '', '  '])('refuses to act without a reason: %o', async (reason) => {
    await insertRow(db.database, 'exhausted');
    await expect(retry([key('exhausted')], reason)).rejects.toMatchObject({ code: '22023' });
    expect(await row('exhausted')).toMatchObject({ state: 'exhausted' });
  });

  it('refuses a row whose body is gone, for a handler would have nothing to read', async () => {
    await insertRow(db.database, 'exhausted');
    const before = await row('exhausted');
    await db.database.pool.query('delete from webhook_delivery');
    expect(await retry([key('exhausted')])).toEqual([{ key: key('exhausted'), outcome: 'body_expired' }]);
    expect(await row('exhausted')).toEqual(before);
  });

  it('never deadlocks with another retry of the same rows in another order', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `stripe/billing/evt_${n}`);
    for (let round = 0; round < 5; round += 1) {
      await db.database.pool.query('delete from webhook_inbox');
      for (const id of ids) {
        await insertRow(db.database, 'exhausted', { event_id: `'${id.split('/')[2]}'` });
      }
      const answers = await Promise.all([retry(ids), retry(ids.toReversed()), retry(ids), retry(ids.toReversed())]);
      for (const answer of answers) expect(answer).toHaveLength(ids.length);
    }
  });
});
