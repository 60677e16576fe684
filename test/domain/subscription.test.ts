import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { applyEvents, type GivenEvent } from './apply-event.ts';
import { emptyBooks, readEnd, readRowVersions } from './books.ts';
import { twinOf } from './invoice-events.ts';
import { permutations } from './permutations.ts';
import { objectOf, refetched } from './refetched.ts';
import { subscriptionSecond as second, subscriptionEvent } from './subscription-events.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => emptyBooks(db.database));
afterAll(() => db.drop());

async function after(...events: readonly GivenEvent[]) {
  await emptyBooks(db.database);
  const outcomes = await applyEvents(db.database, events);
  expect(outcomes.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  return await subscription();
}

async function subscription() {
  const rows = await db.database.kysely.selectFrom('subscriptions').selectAll().execute();
  expect(rows).toHaveLength(1);
  return rows[0];
}

const messages = (topic: string) =>
  db.database.kysely.selectFrom('outbox').selectAll().where('topic', '=', topic).orderBy('outbox_id').execute();

describe('the life of a subscription ends the same in every order', () => {
  test('all within one second: incomplete, active, canceled, with twins', async () => {
    const life = [subscriptionEvent('created'), subscriptionEvent('updated'), subscriptionEvent('deleted')];
    const ends = new Set<string>();
    for (const order of permutations(life)) {
      const row = await after(...order.flatMap((event) => [event, twinOf(event), event]));
      expect(row).toMatchObject({ status: 'canceled', contested: false, snapshot_event_id: 'evt_deleted_twin' });
      ends.add(JSON.stringify([row?.status, (await messages('subscription.ended')).length]));
      expect(await messages('stripe.refetch')).toEqual([]);
    }
    expect([...ends]).toEqual(['["canceled",1]']);
  });

  test('its creation is the first of its second, whatever the event ids say', async () => {
    const created = subscriptionEvent('created', { id: 'evt_z', status: 'trialing' });
    for (const order of permutations([created, subscriptionEvent('updated', { id: 'evt_a' })])) {
      expect(await after(...order)).toMatchObject({ status: 'active', contested: false });
      expect(await messages('stripe.refetch')).toEqual([]);
    }
  });

  test('five stages, each a second later: 120 orders, one end', async () => {
    const life = ['created', 'paused', 'resumed', 'updated', 'deleted'].map((what, index) =>
      subscriptionEvent(what, { created: second + index }),
    );
    const ends = new Set<string>();
    for (const order of permutations(life)) {
      await after(...order);
      ends.add(JSON.stringify((await readEnd(db.database)).filter((line) => line.startsWith('subscriptions'))));
    }
    expect(ends.size).toBe(1);
  });

  test('what has ended does not begin again, however late the news of its life', async () => {
    const late = subscriptionEvent('updated', { created: second + 60 });
    expect(await after(subscriptionEvent('deleted'), late)).toMatchObject({ status: 'canceled' });
  });

  test('back and forth between active and past_due, the later second is shown', async () => {
    const events = ['active', 'past_due', 'active', 'unpaid'].map((status, index) =>
      subscriptionEvent('updated', { id: `evt_${index}`, status, created: second + index }),
    );
    for (const order of permutations(events)) expect(await after(...order)).toMatchObject({ status: 'unpaid' });
  });

  test('a trial that is about to end is told once for each end it is given', async () => {
    const [first, moved] = [1_791_000_000, 1_791_500_000].map((trial_end, index) =>
      subscriptionEvent('trial_will_end', { id: `evt_${index}`, created: second + index, object: { trial_end } }),
    ) as [GivenEvent, GivenEvent];
    for (const order of permutations([first, twinOf(first), moved])) {
      await after(...order);
      const told = await messages('subscription.trial_will_end');
      expect(told.map(({ payload }) => payload)).toHaveLength(2);
    }
  });
});

describe('two snapshots of one second', () => {
  const active = subscriptionEvent('updated', { id: 'evt_b' });
  const dunning = subscriptionEvent('updated', { id: 'evt_a', status: 'past_due' });
  const askedAt = new Date((second + 3) * 1000);

  test('do not decide silently: the row says that it is contested, and Stripe is asked once, after the second', async () => {
    for (const order of permutations([active, dunning, active, dunning])) {
      expect(await after(...order)).toMatchObject({ status: 'active', contested: true });
      expect(await messages('stripe.refetch')).toMatchObject([
        {
          aggregate: 'stripe:subscription:sub_1',
          available_at: new Date((second + 2) * 1000),
          payload: { type: 'subscription', id: 'sub_1', livemode: false, object_key: 'subscription/sub_1' },
        },
      ]);
    }
  });

  test('that show the same are no tie', async () => {
    expect(await after(active, twinOf(active))).toMatchObject({ contested: false });
    expect(await messages('stripe.refetch')).toEqual([]);
  });

  test('the answer settles it, whichever of the two was shown, and again when it comes twice', async () => {
    for (const object of [objectOf(active), objectOf(dunning)]) {
      for (const order of permutations([active, dunning])) {
        const answer = refetched(active, { type: 'subscription', outboxId: '7', askedAt, object });
        expect(await after(...order, answer)).toMatchObject({ status: object['status'], contested: false });
        const versions = await readRowVersions(db.database);
        await applyEvents(db.database, [answer, ...order, answer]);
        expect(await readRowVersions(db.database)).toEqual(versions);
      }
    }
  });

  test('an answer that is older than what has come meanwhile changes nothing', async () => {
    const later = subscriptionEvent('paused', { created: second + 60 });
    const answer = refetched(active, { type: 'subscription', outboxId: '7', askedAt, object: objectOf(dunning) });
    for (const order of permutations([active, dunning, later])) {
      expect(await after(...order, answer)).toMatchObject({ status: 'paused', contested: false });
    }
  });

  test('an answer that ties again asks again, once', async () => {
    const object = { ...objectOf(dunning), cancel_at_period_end: true };
    const tied = refetched(active, { type: 'subscription', outboxId: '7', askedAt: new Date(second * 1000), object });
    await after(active, dunning, tied, tied);
    expect(await messages('stripe.refetch')).toHaveLength(2);
    const answer = refetched(active, { type: 'subscription', outboxId: '8', askedAt, object });
    await applyEvents(db.database, [answer]);
    expect(await subscription()).toMatchObject({ status: 'past_due', cancel_at_period_end: true, contested: false });
  });

  test('a tie that something later has overtaken is not asked about', async () => {
    const later = subscriptionEvent('paused', { created: second + 1 });
    expect(await after(later, active, dunning)).toMatchObject({ status: 'paused', contested: false });
    expect(await messages('stripe.refetch')).toEqual([]);
  });
});

test('both shapes of a period are understood', async () => {
  const old = { items: null, current_period_end: 1_792_000_001 };
  expect(await after(subscriptionEvent('updated', { object: old }))).toMatchObject({
    current_period_end: new Date(1_792_000_001_000),
  });
  expect(await after(subscriptionEvent('updated'))).toMatchObject({ current_period_end: new Date(1_792_000_000_000) });
});
