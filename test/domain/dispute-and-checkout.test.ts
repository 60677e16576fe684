import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks } from './books.ts';
import { twinOf } from './invoice-events.ts';
import { permutations } from './permutations.ts';
import { stripeEvent } from './stripe-event.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

async function toldAfter(...events: readonly GivenEvent[]): Promise<readonly string[]> {
  await emptyBooks(db.database);
  const outcomes = await applyEvents(db.database, events);
  expect(outcomes.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  const rows = await db.database.kysely.selectFrom('outbox').select('topic').orderBy('outbox_id').execute();
  return rows.map(({ topic }) => topic);
}

const withTwins = (events: readonly GivenEvent[]) => events.flatMap((event) => [event, twinOf(event), event]);

test('a dispute is opened and closed once each, in that order, also where its end is heard of first', async () => {
  const dispute = (status: string) => ({
    id: 'dp_1',
    object: 'dispute',
    charge: 'ch_1',
    amount: 2500,
    currency: 'eur',
    reason: 'fraudulent',
    status,
  });
  const created = stripeEvent('charge.dispute.created', dispute('needs_response'));
  const closed = stripeEvent('charge.dispute.closed', dispute('lost'));
  for (const order of permutations([created, closed])) {
    expect(await toldAfter(...withTwins(order))).toEqual(['dispute.opened', 'dispute.closed']);
    const rows = await db.database.kysely.selectFrom('disputes').selectAll().execute();
    expect(rows).toMatchObject([{ status: 'lost', amount: '2500', contested: false }]);
  }
  expect(await toldAfter(created)).toEqual(['dispute.opened']);
});

describe('a checkout delivers when it is paid, not when it is completed', () => {
  const session = (payment_status: string) => ({
    id: 'cs_1',
    object: 'checkout.session',
    customer: 'cus_1',
    amount_total: 2500,
    currency: 'eur',
    payment_status,
  });
  const pending = stripeEvent('checkout.session.completed', session('unpaid'));
  const paid = stripeEvent('checkout.session.async_payment_succeeded', session('paid'));
  const failed = stripeEvent('checkout.session.async_payment_failed', session('unpaid'));
  const payment = async () =>
    (await db.database.kysely.selectFrom('checkout_sessions').select('payment').execute()).map((row) => row.payment);

  test('a payment that is still pending delivers nothing', async () => {
    expect(await toldAfter(pending)).toEqual([]);
    expect(await payment()).toEqual(['pending']);
  });

  test.each(['paid', 'no_payment_required'])('one that is %s at once delivers at once', async (status) => {
    const completed = stripeEvent('checkout.session.completed', session(status));
    expect(await toldAfter(...withTwins([completed]))).toEqual(['checkout.paid']);
  });

  test.each([
    ['succeeds', paid, 'paid', 'checkout.paid'],
    ['fails', failed, 'failed', 'checkout.payment_failed'],
  ])('a pending payment that %s says so once, in every order', async (_how, outcome, state, topic) => {
    for (const order of permutations([pending, outcome])) {
      expect(await toldAfter(...withTwins(order))).toEqual([topic]);
      expect(await payment()).toEqual([state]);
    }
  });
});
