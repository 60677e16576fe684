import { inTransaction } from '@mailroom/db';
import type { JsonValue } from '@mailroom/kernel';
import { append } from '@mailroom/outbox';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyBooks } from './books.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const message = { topic: 'thing.happened', aggregate: 'acme:thing:1', payload: { thing: '1' } };
const source = { provider: 'acme', endpoint: 'main', eventId: 'evt/with/slashes' };

test('a message appended in a transaction is there, due and unsent, once that commits', async () => {
  const id = await inTransaction(db.database, (tx) => append(tx, { ...message, source }));
  expect(await storedMessages()).toMatchObject([
    {
      ...message,
      outbox_id: id,
      provider: 'acme',
      endpoint: 'main',
      event_id: 'evt/with/slashes',
      state: 'pending',
      attempts: 0,
      claim_token: '0',
      published_at: null,
    },
  ]);
});

test('a message is not there when its transaction rolls back', async () => {
  const onPurpose = new Error('rolled back on purpose');
  const attempt = inTransaction(db.database, async (tx) => {
    await append(tx, message);
    throw onPurpose;
  });
  await expect(attempt).rejects.toBe(onPurpose);
  expect(await storedMessages()).toEqual([]);
});

test('messages of one transaction have ids in the order in which they were appended', async () => {
  const ids = await inTransaction(db.database, async (tx) => {
    const first = await append(tx, message);
    return [first, await append(tx, message)];
  });
  expect(ids.map(BigInt)).toEqual(ids.map(BigInt).toSorted((a, b) => Number(a - b)));
  expect(await storedMessages()).toMatchObject([{ event_id: null }, { provider: null }]);
});

test.each<[string, JsonValue, string]>([
  [
    'integers beyond 2^53',
    { amount: 9_007_199_254_740_993n, list: [-(2n ** 63n)] },
    '{"list": [-9223372036854775808], "amount": 9007199254740993}',
  ],
  ['a text', 'a "text"', '"a \\"text\\""'],
  ['a list', [1, null], '[1, null]'],
  ['null', null, 'null'],
])('%s as payload is stored as it is', async (_what, payload, stored) => {
  await inTransaction(db.database, (tx) => append(tx, { ...message, payload }));
  const { rows } = await sql`select payload::text from outbox`.execute(db.database.kysely);
  expect(rows).toEqual([{ payload: stored }]);
});

async function storedMessages() {
  return await db.database.kysely.selectFrom('outbox').selectAll().orderBy('outbox_id').execute();
}
