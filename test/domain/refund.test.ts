import type { JsonValue } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks, sumOf } from './books.ts';
import { twinOf } from './invoice-events.ts';
import { permutations } from './permutations.ts';
import { refetched } from './refetched.ts';
import { stripeEvent } from './stripe-event.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

const refund = (id: string, amount: number, status = 'succeeded') => ({
  id,
  object: 'refund',
  amount,
  charge: 'ch_1',
  currency: 'eur',
  payment_intent: 'pi_1',
  status,
});

/** `refunds` only in the old shape of the API. */
function chargeRefunded(total: number, refunds?: readonly JsonValue[]): GivenEvent {
  const charge = { id: 'ch_1', object: 'charge', amount: 2500, amount_refunded: total, currency: 'eur' };
  const object = refunds ? { ...charge, refunds: { object: 'list', data: refunds } } : charge;
  return stripeEvent('charge.refunded', object, { id: `evt_refunded_${total}`, created: 1_790_000_000 + total });
}

async function after(...events: readonly GivenEvent[]) {
  await emptyBooks(db.database);
  const outcomes = await applyEvents(db.database, events);
  expect(outcomes.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  const { kysely } = db.database;
  const entries = await kysely.selectFrom('refund_entries').selectAll().orderBy('refund_id').orderBy('kind').execute();
  const told = await kysely.selectFrom('outbox').selectAll().orderBy('outbox_id').execute();
  return {
    entries,
    booked: entries.map(({ refund_id, kind, amount }) => `${refund_id} ${kind} ${amount}`),
    asked: told.filter(({ topic }) => topic === 'stripe.refetch'),
    told: told.filter(({ topic }) => topic !== 'stripe.refetch').map(({ topic, aggregate }) => `${topic} ${aggregate}`),
  };
}

describe('several refunds of one charge are all real, each booked once', () => {
  const [first, second] = [refund('re_1', 500), refund('re_2', 700)];
  const both = ['re_1 refund -500', 're_2 refund -700'];

  test('told by the charge with its refunds, by the refunds, by twins of both, in every order', async () => {
    const events = [
      chargeRefunded(500, [first]),
      chargeRefunded(1200, [second, first]),
      stripeEvent('refund.created', first, { id: 'evt_1' }),
      stripeEvent('refund.updated', second, { id: 'evt_2' }),
    ];
    for (const order of permutations(events)) {
      const { booked, told, asked } = await after(...order.flatMap((event) => [event, twinOf(event), event]));
      expect(booked).toEqual(both);
      expect(told.toSorted()).toEqual(['refund.booked stripe:refund:re_1', 'refund.booked stripe:refund:re_2']);
      expect(asked).toEqual([]);
    }
  });

  test('where the charge shows no refunds, its running total books nothing by itself', async () => {
    const created = [first, second].map((each) => stripeEvent('refund.created', each, { id: `evt_${each.id}` }));
    for (const order of permutations([chargeRefunded(500), chargeRefunded(1200), ...created])) {
      const { booked } = await after(...order.flatMap((event) => [event, twinOf(event)]));
      expect(booked).toEqual(both);
    }
  });

  test('and Stripe is asked for the refunds that are not known, once a total', async () => {
    const total = chargeRefunded(1200);
    const { booked, asked } = await after(stripeEvent('refund.created', first), total, twinOf(total), total);
    expect(booked).toEqual(['re_1 refund -500']);
    expect(asked).toMatchObject([{ aggregate: 'stripe:charge:ch_1', payload: { type: 'charge', id: 'ch_1' } }]);
  });

  test('a refund that failed does not stand in for one that is missing', async () => {
    const failed = stripeEvent('refund.failed', refund('re_1', 500, 'failed'));
    expect((await after(failed, chargeRefunded(500))).asked).toHaveLength(1);
  });

  test('the answer books what was missing and asks no further, whatever comes after', async () => {
    const total = chargeRefunded(1200);
    const object = { id: 'ch_1', object: 'charge', amount_refunded: 1300, refunds: { data: [first, second] } };
    const askedAt = new Date(1_790_009_000_000);
    const answer = refetched(total, { type: 'charge', outboxId: '1', askedAt, object });
    const { booked, asked } = await after(total, answer, answer, stripeEvent('refund.created', second), total);
    expect(booked).toEqual(both);
    expect(asked).toHaveLength(1);
  });

  test('a refund whose amount is beyond 2^53 is exact', async () => {
    const large = { ...refund('re_1', 0), amount: 9_007_199_254_740_993n };
    expect((await after(stripeEvent('refund.created', large))).booked).toEqual(['re_1 refund -9007199254740993']);
  });
});

describe('a refund that fails', () => {
  const [pending, succeeded, failed] = ['pending', 'succeeded', 'failed'].map((status, index) =>
    stripeEvent(`refund.${['created', 'updated', 'failed'][index]}`, refund('re_1', 500, status), {
      created: 1_790_000_000 + index,
    }),
  ) as [GivenEvent, GivenEvent, GivenEvent];

  test('is booked when it has succeeded, not before', async () => {
    expect((await after(pending)).booked).toEqual([]);
    expect((await after(pending, succeeded)).booked).toEqual(['re_1 refund -500']);
    expect((await after(succeeded, pending)).booked).toEqual(['re_1 refund -500']);
  });

  test('leaves the books at 0 in every order, and every booking that was told is taken back', async () => {
    for (const order of permutations([pending, succeeded, failed])) {
      const { entries, told } = await after(...order.flatMap((event) => [event, twinOf(event), event]));
      expect(sumOf(entries)).toBe(0n);
      expect(told).toHaveLength(entries.length);
    }
    expect((await after(pending, succeeded, failed)).told).toEqual([
      'refund.booked stripe:refund:re_1',
      'refund.reversed stripe:refund:re_1',
    ]);
  });
});
