import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, emptyInbox, failuresOf, inboxRow, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';
import { emptyBooks } from './books.ts';

const page = resolve(import.meta.dirname, '../../docs/recipes/deposit-in-sql.md');

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  const text = await readFile(page, 'utf8');
  const code = /```sql\n(?<code>[\s\S]*?)```/.exec(text)?.groups?.['code'];
  if (!code) throw new Error(`${page} shows no SQL`);
  await db.database.pool.query(code);
});
beforeEach(async () => {
  await emptyInbox(db.database);
  await emptyBooks(db.database);
  await sql`insert into accounts (account_token, status, stage, snapshot_at, step, snapshot_event_id, contested)
    values ('user_1', 'ACTIVE', 1, now(), 0, 'evt', false)`.execute(db.database.kysely);
});
afterAll(() => db.drop());

const deposit = (token: string, user = 'user_1') =>
  `{"token":"${token}","type":"gpa.credit","user_token":"${user}","amount":90071992547409931.10,"currency_code":"USD"}`;

/** One message of Marqeta with these deposits, received as the ingestor receives it. */
async function receive(...items: readonly string[]): Promise<void> {
  const receiver = testReceiver(db.database);
  await receiver.receive(
    delivery('', {
      provider: 'marqeta',
      endpoint: 'cards',
      body: Buffer.from(`{"transactions":[${items.join(',')}]}`),
      events: items.map((item, index) =>
        incomingEvent(`transactions/${/"token":"(\w+)"/.exec(item)?.[1]}`, {
          eventType: 'transactions.gpa.credit',
          itemPath: ['transactions', String(index)],
        }),
      ),
    }),
  );
  await receiver.close();
}

async function depositNext(): Promise<string | undefined> {
  const { rows } = await sql<{ answer: string }>`select deposit_next() as answer`.execute(db.database.kysely);
  return rows[0]?.answer;
}

async function booked() {
  const { kysely } = db.database;
  return {
    balances: await kysely.selectFrom('account_balances').select(['account_token', 'balance']).execute(),
    told: await kysely.selectFrom('outbox').select(['topic', 'aggregate', 'payload', 'event_id']).execute(),
  };
}

const once = {
  balances: [{ account_token: 'user_1', balance: '90071992547409931.10' }],
  told: [
    {
      topic: 'account.deposited',
      aggregate: 'marqeta:account:user_1',
      payload: { account: 'user_1', amount: '90071992547409931.10', currency: 'USD' },
      event_id: 'transactions/t1',
    },
  ],
};

test('a deposit is booked, told and recorded as processed in one go, and its redelivery changes nothing', async () => {
  await receive(deposit('t1'));
  expect(await depositNext()).toBe('processed');
  await receive(deposit('t1'));
  expect(await depositNext()).toBe('nothing due');
  expect(await booked()).toEqual(once);
  expect(await inboxRow(db.database, 'transactions/t1')).toMatchObject({ state: 'processed', attempts: 1 });
});

test('eight sessions at once book two deposits once each', async () => {
  await receive(deposit('t1'), deposit('t2'));
  const answers = await Promise.all(Array.from({ length: 8 }, depositNext));
  expect(answers.filter((answer) => answer === 'processed')).toHaveLength(2);
  expect((await booked()).told).toHaveLength(2);
  expect((await booked()).balances).toEqual([{ account_token: 'user_1', balance: '180143985094819862.20' }]);
});

test('a rollback leaves the event due and nothing booked', async () => {
  await receive(deposit('t1'));
  const client = await db.database.pool.connect();
  await client.query('begin');
  await client.query('select deposit_next()');
  await client.query('rollback');
  client.release();
  expect(await booked()).toEqual({ balances: [], told: [] });
  expect(await depositNext()).toBe('processed');
});

test('an account that is not there yet is a failed attempt, tried again later, exhausted at the limit', async () => {
  await receive(deposit('t1', 'user_2'));
  for (const state of ['pending', 'pending', 'exhausted']) {
    expect(await depositNext()).toBe('failed');
    expect(await depositNext()).toBe('nothing due');
    expect(await inboxRow(db.database, 'transactions/t1')).toMatchObject({ state });
    await sql`update webhook_inbox set available_at = now()`.execute(db.database.kysely);
  }
  expect(await depositNext()).toBe('nothing due');
  expect(await booked()).toEqual({ balances: [], told: [] });
  expect(await failuresOf(db.database, 'transactions/t1')).toMatchObject(
    [1, 2, 3].map((attempt) => ({ attempt, sqlstate: '23503', worker: 'deposit_next' })),
  );
});

test('an event that workers have parked, because none of them has a handler for it, is taken all the same', async () => {
  await receive(deposit('t1'));
  await sql`update webhook_inbox set state = 'parked'`.execute(db.database.kysely);
  expect(await depositNext()).toBe('processed');
  expect(await booked()).toEqual(once);
});
