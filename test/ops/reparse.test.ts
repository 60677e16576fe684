import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { inboxRow } from '../support/inbox-fixtures.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { emptyTables, inState, seedEvent } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

test('reparse reads a quarantined delivery as its provider does today: split, named and due, with a record', async () => {
  const body = Buffer.from('{"transactions":[{"token":"t1","type":"authorization"},{"token":"t2","type":"refund"}]}');
  const row = { ...inState.quarantined, provider: 'marqeta', endpoint: 'cards', event_type: 'unreadable' };
  const key = await seedEvent(db.database, 'sha256:dark', { row, body });

  const answer = await runMailroom(['reparse', key, '--reason', 'reader mended', '--actor', 'alice'], db);

  expect(answer.code).toBe(0);
  expect(answer.stdout).toContain('read again: 2 events came of it');
  expect(answer.stdout).toContain('marqeta/cards/transactions/t2');
  expect(await inboxRow(db.database, 'transactions/t2')).toMatchObject({
    state: 'pending',
    event_type: 'transactions.refund',
    item_path: ['transactions', '1'],
    origin: 'reparse',
  });
  expect(await inboxRow(db.database, 'sha256:dark')).toMatchObject({ state: 'ignored' });
  expect(await db.database.kysely.selectFrom('operator_actions').selectAll().execute()).toMatchObject([
    { actor: 'alice', action: 'reparse', reason: 'reader mended', affected: '2' },
  ]);
  expect((await runMailroom(['show', key], db)).stdout).toContain('alice');
});

test('reparse finds id and topic in the headers that were stored', async () => {
  const row = { ...inState.quarantined, provider: 'shopify', endpoint: 'main', event_type: 'unreadable' };
  const key = await seedEvent(db.database, 'sha256:dark', { row, body: Buffer.from('{"id":820982911946154508}') });
  const headers = { 'x-shopify-topic': 'orders/paid', 'x-shopify-webhook-id': 'w1' };
  await db.database.kysely
    .updateTable('webhook_delivery')
    .set({ headers: JSON.stringify(headers) })
    .execute();

  const answer = await runJson(['reparse', key, '--reason', 'mended'], db);

  expect(answer).toMatchObject({ outcome: 'reparsed', eventIds: ['w1'] });
  const event = await inboxRow(db.database, 'w1');
  expect(event).toMatchObject({ event_type: 'orders/paid', object_key: 'orders/820982911946154508' });
  expect(event.body_sha256?.equals(createHash('sha256').update('{"id":820982911946154508}').digest())).toBe(true);
});

test('reparse refuses what still cannot be read, what is not quarantined and what nobody knows to read', async () => {
  const dark = await seedEvent(db.database, 'sha256:dark', { row: inState.quarantined, body: Buffer.from('{') });
  const plain = await seedEvent(db.database, 'evt_1');
  const acme = await seedEvent(db.database, 'a', { row: { ...inState.quarantined, provider: 'acme', endpoint: 'x' } });
  const refused = { [dark]: 'it still cannot be read', [plain]: 'it is pending, not quarantined' };
  for (const [key, words] of Object.entries(refused)) {
    const { code, stdout } = await runMailroom(['reparse', key, '--reason', 'mended'], db);
    expect([code, stdout]).toEqual([1, expect.stringContaining(words)]);
  }
  expect((await runMailroom(['reparse', acme, '--reason', 'mended'], db)).stderr).toContain('nothing here says');
  expect((await runMailroom(['reparse', 'stripe/billing/none', '--reason', 'x'], db)).code).toBe(1);
  expect(await inboxRow(db.database, 'sha256:dark')).toMatchObject({ state: 'quarantined' });
  expect(await db.database.kysely.selectFrom('operator_actions').selectAll().execute()).toEqual([]);
});

test('show tells that the same bytes came under other ids, where ids are not signed, and lists a bounded number', async () => {
  const body_sha256 = createHash('sha256').update('the same').digest();
  const of = (at: number) => ({
    row: { provider: 'shopify', endpoint: 'main', body_sha256, received_at: new Date(at) },
  });
  const key = await seedEvent(db.database, 'w0', of(0));
  expect((await runMailroom(['show', key], db)).stdout).toMatch(/same bytes\s+came under no other event id/);
  await seedEvent(db.database, 'w1', of(1000));
  expect((await runMailroom(['show', key], db)).stdout).toMatch(/same bytes\s+came under 1 other event id: w1/);
  for (let at = 2; at <= 12; at += 1) await seedEvent(db.database, `w${at}`, of(at * 1000));
  const { sameBody } = await runJson<{ sameBody: { eventIds: string[]; more: boolean } }>(['show', key], db);
  expect([sameBody.eventIds.length, sameBody.more]).toEqual([10, true]);
  const signed = await seedEvent(db.database, 'evt_1');
  expect((await runMailroom(['show', signed], db)).stdout).not.toContain('same bytes');
});
