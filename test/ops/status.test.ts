import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { ago, emptyTables, inState, leasedBy, seedEvent, seedFailure } from './seed-event.ts';

interface Status {
  readonly states: Readonly<Record<string, number>>;
  readonly backlog: Readonly<Record<string, number | string>>;
  readonly failures: { readonly groups: readonly { readonly message: string }[] };
  readonly advice: readonly {
    readonly level: string;
    readonly problem: string;
    readonly commands: readonly string[];
  }[];
}

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

test('status counts every state, in all and by endpoint, and what is pending adds up', async () => {
  const rows = Object.entries(inState);
  for (const [state, row] of rows) await seedEvent(db.database, `evt_${state}`, { row });
  await seedEvent(db.database, 'evt_due', { row: { available_at: ago(600) } });
  await seedEvent(db.database, 'evt_later', { row: { available_at: ago(-600), attempts: 1, total_attempts: 1 } });
  await seedEvent(db.database, 'evt_running', { row: leasedBy('w1', 60) });
  await seedEvent(db.database, 'evt_lost', { row: { ...leasedBy('w2', -60), endpoint: 'connect' } });

  const status = await runJson<Status>(['status'], db);

  expect(status).toMatchObject({
    states: { pending: 4, held: 1, exhausted: 1, rejected: 1, parked: 1, quarantined: 1, processed: 1, ignored: 1 },
    finished: { events: 2, method: 'counted' },
    backlog: {
      pending: 4,
      due: 1,
      waiting: 1,
      leased: 1,
      leaseExpired: 1,
      retrying: 1,
      oldestDueKey: 'stripe/billing/evt_due',
    },
    endpoints: [
      { provider: 'stripe', endpoint: 'billing', pending: 3, leased: 1, exhausted: 1, finished: 2 },
      { provider: 'stripe', endpoint: 'connect', pending: 1, leased: 0, finished: 0 },
    ],
    workers: [
      { worker: 'w1', leased: 1, leaseExpired: 0 },
      { worker: 'w2', leased: 0, leaseExpired: 1 },
    ],
    parkedTypes: [{ provider: 'stripe', eventType: 'invoice.paid', events: 1 }],
  });
  const total = Object.values(status.states).reduce((sum, amount) => sum + amount, 0);
  expect(total).toBe(rows.length + 4);
  expect(status.backlog['oldestDueSeconds']).toBeGreaterThanOrEqual(600);
});

test('the failures of the last hour stand together by what failed; older ones are left out', async () => {
  await seedEvent(db.database, 'evt_1');
  await seedFailure(db.database, 'evt_1', { message: 'long ago', failed_at: ago(4_000) });
  for (const id of ['evt_1', 'evt_1', 'evt_2']) await seedFailure(db.database, id, { message: 'no such order' });
  await seedFailure(db.database, 'evt_3', {
    message: 'too slow',
    class: 'statement_timeout',
    sqlstate: '57014',
    worker: 'w9',
  });

  const status = await runJson<Status>(['status'], db);

  expect(status.failures).toMatchObject({
    attempts: 4,
    capped: false,
    groups: [
      { message: 'no such order', attempts: 3, events: 2, lastKey: 'stripe/billing/evt_2', workers: ['w1'] },
      { message: 'too slow', attempts: 1, events: 1, sqlstate: '57014', workers: ['w9'] },
    ],
  });
});

test('duplicates, outbox and open anomalies are counted; closed ones are not', async () => {
  const { kysely } = db.database;
  const source = { provider: 'stripe', endpoint: 'billing' };
  for (const [event_id, count] of [
    ['a', 2],
    ['b', 5],
  ] as const) {
    await kysely
      .insertInto('inbox_duplicates')
      .values({ ...source, event_id, count, first_at: ago(9), last_at: ago(8) })
      .execute();
  }
  for (const state of ['pending', 'pending', 'needs_review'] as const) {
    await kysely.insertInto('outbox').values({ topic: 't', aggregate: 'a', payload: '{}', state }).execute();
  }
  await kysely
    .insertInto('anomalies')
    .values([
      { kind: 'payment_on_void_invoice', object_key: 'in_1', detail: '{}' },
      { kind: 'payment_on_void_invoice', object_key: 'in_2', detail: '{}', closed_at: ago(1) },
    ])
    .execute();
  expect(await runJson(['status'], db)).toMatchObject({
    duplicates: { events: 2, deliveries: 7, method: 'counted' },
    outbox: { pending: 2, needsReview: 1 },
    anomalies: [{ kind: 'payment_on_void_invoice', open: 1, newestObjectKey: 'in_1' }],
  });
});

test('everything that is wrong comes with what to type, what is urgent first', async () => {
  for (const [state, row] of Object.entries(inState)) await seedEvent(db.database, `evt_${state}`, { row });
  await seedEvent(db.database, 'evt_due', { row: { available_at: ago(900) } });
  await seedFailure(db.database, 'evt_due');

  const { advice } = await runJson<Status>(['status'], db);

  expect(advice.map(({ level, problem }) => `${level}: ${problem}`)).toEqual([
    'act: 1 event due and no worker in sight',
    'act: 1 event used up all attempts',
    'act: 1 event rejected by a handler',
    'act: 1 event quarantined',
    expect.stringMatching(/^watch: the backlog is 15m/),
    'watch: 1 failed attempt in the last hour',
    'watch: 1 event held back',
    'watch: 1 event parked: invoice.paid (1)',
  ]);
  for (const { commands, problem } of advice) expect(commands, problem).not.toEqual([]);
  const { stdout } = await runMailroom(['status'], db);
  expect(stdout).toContain('npm run mailroom -- list --state exhausted');
});

test('a worker that is connected is seen, even when it holds nothing', async () => {
  await seedEvent(db.database, 'evt_due', { row: { available_at: ago(10) } });
  const worker = db.open({ applicationName: 'mailroom-worker', maxConnections: 1 });
  await worker.pool.query('select 1');
  const status = await runJson<Status>(['status'], db);
  expect(status).toMatchObject({
    connections: expect.arrayContaining([{ application: 'mailroom-worker', connections: 1 }]),
  });
  expect(status.advice).toEqual([]);
});

test('an empty ledger is well, and says so', async () => {
  const answer = await runMailroom(['status'], db);
  expect(answer).toMatchObject({ code: 0, stderr: '' });
  expect(answer.stdout).toContain('No event has ever been received here.');
  expect(answer.stdout).toContain('Nothing needs a person.');
});

test('in a pipe there is no colour', async () => {
  await seedEvent(db.database, 'evt_1', { row: inState.exhausted });
  expect((await runMailroom(['status'], db)).stdout).not.toContain('\u001b');
  const forced = await runMailroom(['status'], { url: db.url, env: { FORCE_COLOR: '1' } });
  expect(forced.stdout).toContain('\u001b[31m');
  const refused = await runMailroom(['status'], { url: db.url, env: { NO_COLOR: '1' } });
  expect(refused.stdout).not.toContain('\u001b');
});
