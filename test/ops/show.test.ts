import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { ago, emptyTables, inState, leasedBy, seedEvent, seedFailure } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

test.each([
  ['running', leasedBy('w7', 60), 'w7 has it, attempt 1 of 25'],
  ['lease_expired', leasedBy('w7', -60), 'w7 took it (attempt 1 of 25) and never came back'],
  ['due', {}, 'it is first in the queue'],
  ['scheduled', { available_at: ago(-3_600) }, 'Not due yet'],
  ['backing_off', { available_at: ago(-3_600), attempts: 3, total_attempts: 3 }, 'after 3 of 25 attempts'],
  ['held', inState.held, 'Held by alice. Reason: paused for the migration.'],
  ['exhausted', inState.exhausted, 'Used 25 of 25 attempts'],
  ['rejected', inState.rejected, 'not_ours'],
  ['parked', inState.parked, 'No handler for invoice.paid of stripe'],
  ['quarantined', inState.quarantined, 'the body is not UTF-8'],
  ['finished', inState.processed, 'its effect is committed'],
  ['finished', inState.ignored, 'a draft'],
])('show says why an event is not running: %s', async (code, row, words) => {
  const key = await seedEvent(db.database, 'evt_1', { row });
  expect(await runJson(['show', key], db)).toMatchObject({ key, explanation: { code } });
  const { stdout } = await runMailroom(['show', key], db);
  expect(stdout).toContain(words);
});

test('a due event knows how many come before it', async () => {
  for (const id of ['a', 'b', 'c']) await seedEvent(db.database, id, { row: { available_at: ago(60) } });
  const key = await seedEvent(db.database, 'evt_1', { row: { available_at: ago(30) } });
  const { stdout } = await runMailroom(['show', key], db);
  expect(stdout).toContain('3 due events come before it');
});

test('show tells each failed attempt, the duplicates, what came from the event and what operators did', async () => {
  const key = await seedEvent(db.database, 'evt_1', { row: inState.exhausted });
  await seedEvent(db.database, 'evt_2', { row: inState.exhausted });
  for (const attempt of [1, 2, 3]) {
    await seedFailure(db.database, 'evt_1', {
      attempt,
      message: `failure ${attempt}`,
      sqlstate: '42P01',
      release: 'r7',
    });
  }
  await seedFailure(db.database, 'evt_2', { message: 'of another event' });
  const { kysely } = db.database;
  const source = { provider: 'stripe', endpoint: 'billing', event_id: 'evt_1' };
  await kysely
    .insertInto('inbox_duplicates')
    .values({ ...source, count: 4, first_at: ago(50), last_at: ago(40) })
    .execute();
  await kysely
    .insertInto('invoices')
    .values({ invoice_id: 'in_1', status: 'paid', snapshot_at: ago(1), snapshot_event_id: 'evt_1' })
    .execute();
  await kysely
    .insertInto('ledger_entries')
    .values({ ...source, invoice_id: 'in_1', kind: 'payment', amount: 9_007_199_254_740_993n, currency: 'eur' })
    .execute();
  await kysely
    .insertInto('outbox')
    .values({ ...source, topic: 'invoice.paid', aggregate: 'invoice/in_1', payload: '{"secret":"in the payload"}' })
    .execute();
  await kysely
    .insertInto('anomalies')
    .values({ kind: 'payment_on_void_invoice', object_key: 'invoice/in_1', detail: '{"payment_event":"evt_1"}' })
    .execute();
  await runMailroom(['retry', 'stripe/billing/evt_2', '--reason', 'not about evt_1'], db);
  await runMailroom(['retry', key, '--reason', 'orders restored'], db);

  const story = await runJson<Record<string, unknown>>(['show', key], db);

  expect(story).toMatchObject({
    failures: {
      more: false,
      attempts: [1, 2, 3].map((attempt) => ({
        attempt,
        message: `failure ${attempt}`,
        sqlstate: '42P01',
        release: 'r7',
      })),
    },
    duplicates: { deliveries: 4 },
    effects: {
      ledgerEntries: [{ kind: 'payment', amount: '9007199254740993', currency: 'eur', invoiceId: 'in_1' }],
      outbox: [{ topic: 'invoice.paid', aggregate: 'invoice/in_1', state: 'pending' }],
      anomalies: [{ kind: 'payment_on_void_invoice', objectKey: 'invoice/in_1' }],
      operatorActions: [{ actor: 'tester', action: 'retry', reason: 'orders restored', changed: true }],
    },
  });
  const { stdout } = await runMailroom(['show', key], db);
  for (const words of [
    'failure 1',
    'failure 3',
    'came 4 times more',
    'payment of 9007199254740993 eur',
    'orders restored',
  ]) {
    expect(stdout).toContain(words);
  }
  for (const other of ['of another event', 'not about evt_1']) expect(stdout).not.toContain(other);
});

test('show never prints a payload, only its size and digest', async () => {
  const body = Buffer.from('{"card":"4242424242424242"}');
  const key = await seedEvent(db.database, 'evt_1', { body });
  await db.database.kysely
    .insertInto('outbox')
    .values({
      topic: 't',
      aggregate: 'a',
      payload: '{"card":"4242"}',
      provider: 'stripe',
      endpoint: 'billing',
      event_id: 'evt_1',
    })
    .execute();
  const sha256 = createHash('sha256').update(body).digest('hex');
  const plain = await runMailroom(['show', key], db);
  const json = await runMailroom(['show', key, '--json'], db);
  for (const { stdout } of [plain, json]) {
    expect(stdout).toContain(sha256);
    expect(stdout).not.toContain('4242');
  }
  expect(JSON.parse(json.stdout)).toMatchObject({
    body: { bytes: body.length, sha256, contentType: 'application/json' },
  });
});

test('an expired body is said to be expired', async () => {
  const key = await seedEvent(db.database, 'evt_1', { body: null });
  expect(await runJson(['show', key], db)).toMatchObject({ body: null });
  expect((await runMailroom(['show', key], db)).stdout).toMatch(/body\s+expired/);
});

test('texts from outside cannot drive the terminal', async () => {
  const key = await seedEvent(db.database, 'evt_\u001b]0;x\u0007', {
    row: { ...inState.rejected, event_type: 'a\u202eb', state_reason: 'one\ntwo\u009b' },
  });
  const { stdout } = await runMailroom(['show', key], db);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(stdout).toContain('evt_\\u001b]0;x\\u0007');
});

test('a key that does not exist is told from a malformed one', async () => {
  const missing = await runMailroom(['show', 'stripe/billing/evt_none', '--json'], db);
  expect(missing.code).toBe(1);
  expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'not_found' } });
  const malformed = await runMailroom(['show', 'evt_none', '--json'], db);
  expect(malformed.code).toBe(2);
  expect(JSON.parse(malformed.stdout)).toMatchObject({ error: { code: 'bad_event_key' } });
});
