import type { JsonValue } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvent, applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks } from './books.ts';
import { permutations } from './permutations.ts';
import { readEvents } from './provider-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

/** One notification, read as on its way through the inbox, received now. */
function notification(category: string, item: Readonly<Record<string, JsonValue>>): GivenEvent {
  const [read] = readEvents('marqeta', Buffer.from(JSON.stringify({ [category]: [item] })));
  if (!read) throw new Error('nothing was read');
  return { ...read, event: { ...read.event, receivedAt: new Date() } };
}

function transition(status: string, time = '2026-01-10T10:00:00Z'): GivenEvent {
  return notification('usertransitions', { token: `ut_${status}`, status, user_token: 'user_1', created_time: time });
}

function transaction(token: string, type: string, more: Readonly<Record<string, JsonValue>> = {}): GivenEvent {
  return notification('transactions', {
    token,
    type,
    state: type === 'authorization' ? 'PENDING' : 'COMPLETION',
    user_token: 'user_1',
    card_token: 'card_1',
    amount: 10,
    currency_code: 'USD',
    created_time: '2026-01-10T10:00:00Z',
    ...more,
  });
}

const balances = () => db.database.kysely.selectFrom('account_balances').selectAll().execute();
const active = transition('ACTIVE');

describe('a balance is the sum of what was recorded', () => {
  const purchase = transaction('t1', 'authorization', { amount: 10.1 });
  const cleared = transaction('t2', 'authorization.clearing', {
    amount: 10.1,
    preceding_related_transaction_token: 't1',
  });
  const held = transaction('t3', 'authorization', { amount: 0.2 });
  const more = transaction('t4', 'authorization.clearing', { amount: 4.25, preceding_related_transaction_token: 't0' });

  test('in every order, each message twice: nothing is skipped because a later one came, nothing counts twice', async () => {
    for (const order of permutations([purchase, cleared, held, more])) {
      await emptyBooks(db.database);
      await applyEvents(db.database, [active, ...order.flatMap((event) => [event, event])]);
      expect(await balances()).toEqual([{ account_token: 'user_1', currency: 'USD', balance: '-14.35', held: '0.2' }]);
    }
  });

  test('decimals stay exact where doubles would not: 0.1 ten times is 1.0', async () => {
    const tenths = Array.from({ length: 10 }, (_, index) => transaction(`t${index}`, 'authorization', { amount: 0.1 }));
    await applyEvents(db.database, [active, ...tenths]);
    expect(await balances()).toMatchObject([{ held: '1.0' }]);
  });

  test('a declined transaction moves nothing and is right to be ignored', async () => {
    const declined = transaction('t9', 'authorization', { state: 'DECLINED' });
    expect(await applyEvents(db.database, [active, declined])).toEqual([
      { outcome: 'done' },
      { outcome: 'ignored', reason: 'the transaction moved nothing: DECLINED' },
    ]);
    expect(await balances()).toEqual([]);
  });

  test('one token that tells two amounts stays booked as it was first, and a person is told', async () => {
    const other = transaction('t1', 'authorization', { amount: 11 });
    await applyEvents(db.database, [active, purchase, other, other]);
    expect(await balances()).toMatchObject([{ held: '10.1' }]);
    expect(await db.database.kysely.selectFrom('anomalies').selectAll().execute()).toMatchObject([
      { kind: 'entry_amounts_differ', detail: { amounts: '10.1 USD, 11 USD' } },
    ]);
  });

  test.each([-1, 1e21, 1e-7, 1.2345678901234567, 2n ** 60n, '10.00', null])(
    'an amount of %s is refused',
    async (amount) => {
      const outcome = await applyEvent(db.database, {
        ...purchase,
        payload: { ...(purchase.payload as Record<string, JsonValue>), amount },
      });
      expect(outcome).toMatchObject({ outcome: 'reject', code: 'unexpected_payload' });
    },
  );
});

describe('an account that is not known', () => {
  const early = transaction('t1', 'authorization');

  test('is waited for without burning attempts, and the entry is booked once it appears', async () => {
    expect(await applyEvent(db.database, early)).toMatchObject({ outcome: 'snooze', delayMs: 30_000 });
    expect(await applyEvents(db.database, [active, early])).toEqual([{ outcome: 'done' }, { outcome: 'done' }]);
    expect(await balances()).toMatchObject([{ held: '10' }]);
  });

  test('and does not appear within a day is a reason to bury the event for a person to see', async () => {
    const receivedAt = new Date(Date.now() - 25 * 3_600_000);
    const late = { ...early, event: { ...early.event, receivedAt } };
    expect(await applyEvent(db.database, late)).toMatchObject({ outcome: 'reject', code: 'account_unknown' });
    // After `mailroom retry` it is booked like any other.
    expect(await applyEvents(db.database, [active, late])).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  });
});

describe('transitions', () => {
  test('of an account end the same in every order: the latest, and closed for good', async () => {
    const life = ['UNVERIFIED', 'ACTIVE', 'SUSPENDED', 'CLOSED'].map((status, index) =>
      transition(status, `2026-01-10T10:00:0${index}Z`),
    );
    const reopened = notification('usertransitions', {
      token: 'ut_late',
      status: 'ACTIVE',
      user_token: 'user_1',
      created_time: '2026-01-10T10:00:09Z',
    });
    for (const order of permutations([...life, reopened])) {
      await emptyBooks(db.database);
      await applyEvents(db.database, order);
      expect(await db.database.kysely.selectFrom('accounts').selectAll().execute()).toMatchObject([
        { status: 'CLOSED' },
      ]);
    }
  });

  test('of a card in one second that differ keep one, in every order, and leave an anomaly', async () => {
    const both = [
      ['activated', 'ACTIVE'],
      ['suspended', 'SUSPENDED'],
    ].map(([type, state]) =>
      notification('cardtransitions', {
        token: `ct_${type}`,
        type: `state.${type}`,
        state: state ?? null,
        card_token: 'card_1',
        user_token: 'user_1',
        created_time: '2026-01-10T10:00:00Z',
      }),
    );
    for (const order of permutations(both)) {
      await emptyBooks(db.database);
      await applyEvents(db.database, [...order, ...order]);
      const cards = await db.database.kysely.selectFrom('cards').selectAll().execute();
      expect(cards).toMatchObject([{ state: 'SUSPENDED', contested: true }]);
      expect(await db.database.kysely.selectFrom('anomalies').selectAll().execute()).toHaveLength(1);
    }
  });
});
