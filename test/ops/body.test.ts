import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { emptyTables, seedEvent } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(() => emptyTables(db.database));

// Everything that a decoder, a line ending or a text column would change, and more than a pipe holds at once.
const awkward = Buffer.concat([
  Buffer.from([0x00, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x0d, 0x0a, 0x1b, 0x5b]),
  Buffer.from('\u{feff}{"n": 1.0}'),
  Buffer.alloc(300_000, 0x80),
  Buffer.from([0x00]),
]);

test('body writes the stored bytes and nothing else, be they text or not', async () => {
  const key = await seedEvent(db.database, 'evt_bytes', { body: awkward });
  const answer = await runMailroom(['body', key], db);
  expect(answer.code).toBe(0);
  expect(answer.bytes.equals(awkward)).toBe(true);
  expect(answer.stderr).toBe('');
});

test('body --json carries the same bytes as base64, with their digest', async () => {
  const key = await seedEvent(db.database, 'evt_json', { body: awkward, contentType: 'text/plain' });
  const document = await runJson<{ base64: string }>(['body', key], db);
  expect(document).toMatchObject({
    key,
    itemPath: null,
    contentType: 'text/plain',
    bytes: awkward.length,
    sha256: createHash('sha256').update(awkward).digest('hex'),
  });
  expect(Buffer.from(document.base64, 'base64').equals(awkward)).toBe(true);
});

test('an empty body is written as nothing, and is not a missing one', async () => {
  const key = await seedEvent(db.database, 'evt_empty', { body: Buffer.alloc(0) });
  const answer = await runMailroom(['body', key], db);
  expect(answer).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('for one item of a batch body writes the whole delivery and says aside where the item stands', async () => {
  const body = Buffer.from('{"items":[{"a":1},{"a":2}]}');
  const key = await seedEvent(db.database, 'evt_item', { body, row: { item_path: ['items', '1'] } });
  const answer = await runMailroom(['body', key], db);
  expect(answer.bytes.equals(body)).toBe(true);
  expect(answer.stderr).toContain('items.1');
});

test('an expired body is told from an event that does not exist', async () => {
  const key = await seedEvent(db.database, 'evt_old', { body: null });
  const expired = await runMailroom(['body', key], db);
  expect(expired).toMatchObject({ code: 1, stdout: '' });
  expect(expired.stderr).toContain('has expired');

  const missing = await runMailroom(['body', 'stripe/billing/evt_none'], db);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toContain('no event stripe/billing/evt_none');

  const malformed = await runMailroom(['body', 'evt_none'], db);
  expect(malformed).toMatchObject({ code: 2, stdout: '' });
  expect(malformed.stderr).toContain('is not an event key');
});
