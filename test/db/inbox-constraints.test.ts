import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Columns, insertRow, lease, type State, states, validRows } from './inbox-row.ts';

describe('the ledger', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => db.database.pool.query('delete from webhook_inbox'));
  afterAll(() => db.drop());

  it.each(states)('takes a valid row: %s', async (state) => {
    await insertRow(db.database, state);
    const { rowCount } = await db.database.pool.query('select 1 from webhook_inbox where state = $1', [state]);
    expect(rowCount).toBe(1);
  });

  it('knows every state that these tests know, and no other', async () => {
    const { rows } = await db.database.pool.query<{ definition: string }>(
      "select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'state_is_known'",
    );
    const known = [...String(rows[0]?.definition).matchAll(/'([a-z]+)'/g)].map(([, state]) => state);
    expect(new Set(known)).toEqual(new Set(states));
  });

  const finished = ['processed', 'ignored'] as const;
  const saysWhy = states.filter((state) => 'state_reason' in validRows[state]);
  const cases: readonly (readonly [State, string, Columns])[] = [
    ...states.map((state) =>
      finished.some((name) => name === state)
        ? ([state, 'finished_means_processed_at', { processed_at: 'null' }] as const)
        : ([state, 'finished_means_processed_at', { processed_at: 'now()' }] as const),
    ),
    ...states.map((state) =>
      state === 'held'
        ? ([state, 'held_says_by_what', { held_by: 'null' }] as const)
        : ([state, 'held_says_by_what', { held_by: "'pause'" }] as const),
    ),
    ...states.filter((state) => state !== 'pending').map((state) => [state, 'only_pending_is_leased', lease] as const),
    ...saysWhy.map((state) => [state, 'unusual_state_says_why', { state_reason: 'null' }] as const),
    ...Object.keys(lease).map((column) => ['pending', 'lease_is_whole', { ...lease, [column]: 'null' }] as const),
    ['pending', 'state_is_known', { state: "'done'" }],
    ['pending', 'origin_is_known', { origin: "'email'" }],
    ['pending', 'counters_are_sane', { attempts: '-1' }],
    ['pending', 'counters_are_sane', { attempts: '4', total_attempts: '4' }],
    ['pending', 'counters_are_sane', { attempts: '2', total_attempts: '1' }],
    ['pending', 'counters_are_sane', { max_attempts: '0' }],
    ['pending', 'counters_are_sane', { infra_retries: '-1' }],
    ['pending', 'provider_is_a_name', { provider: "'Stripe'" }],
    ['pending', 'endpoint_is_a_name', { endpoint: "'bil/ling'" }],
    ['pending', 'event_id_is_bounded', { event_id: "''" }],
    ['pending', 'event_id_is_bounded', { event_id: "repeat('x', 256)" }],
    ['pending', 'event_type_is_bounded', { event_type: "repeat('x', 256)" }],
    ['pending', 'last_error_is_bounded', { last_error: "repeat('x', 2001)" }],
    ['exhausted', 'exhausted_row_needs_mailroom_retry', { attempts: '0' }],
  ];

  it.each(cases)('refuses a %s row by %s: %o', async (state, constraint, differing) => {
    await expect(insertRow(db.database, state, differing)).rejects.toMatchObject({ code: '23514', constraint });
  });

  it('takes a whole lease on a pending row', async () => {
    await insertRow(db.database, 'pending', lease);
    const { rowCount } = await db.database.pool.query('select 1 from webhook_inbox where lease_token is not null');
    expect(rowCount).toBe(1);
  });

  it('refuses "set attempts = 0" on an exhausted row, and the name of the rule says what to use', async () => {
    await insertRow(db.database, 'exhausted');
    await expect(db.database.pool.query('update webhook_inbox set attempts = 0')).rejects.toMatchObject({
      code: '23514',
      constraint: 'exhausted_row_needs_mailroom_retry',
    });
  });

  it('never takes a second row with the same provider, endpoint and event id, and takes one of another endpoint', async () => {
    await insertRow(db.database, 'processed');
    await expect(insertRow(db.database, 'pending', { event_id: "'evt_processed'" })).rejects.toMatchObject({
      code: '23505',
      constraint: 'webhook_inbox_pkey',
    });
    await insertRow(db.database, 'pending', { event_id: "'evt_processed'", endpoint: "'connect'" });
  });
});
