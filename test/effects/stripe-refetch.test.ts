import { openStripe, stripeRefetchSink } from '@mailroom/effects';
import type { Receiver } from '@mailroom/inbox';
import type { JsonValue } from '@mailroom/kernel';
import type { OutgoingMessage } from '@mailroom/outbox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox, inboxRow, testReceiver } from '../support/inbox-fixtures.ts';
import { type StripeFake, startStripeFake } from '../support/stripe-fake/start-stripe-fake.ts';

describe('asking Stripe for an object', () => {
  let db: TestDatabase;
  let fake: StripeFake;
  let receiver: Receiver;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    await db.database.pool.query('delete from provider_limits');
    fake = await startStripeFake();
    receiver = testReceiver(db.database);
  });
  afterEach(async () => {
    await receiver.close();
    await fake.close();
  });
  afterAll(() => db.drop());

  const ask = async (payload: JsonValue, id = '7', apiKey = 'sk_test_fake') => {
    const api = openStripe({ apiKey, apiBase: fake.url });
    const message: OutgoingMessage = {
      id,
      topic: 'stripe.refetch',
      aggregate: 'stripe:subscription:sub_1',
      payload,
      payloadText: JSON.stringify(payload),
      source: { provider: 'stripe', endpoint: 'billing', eventId: 'evt_1' },
      createdAt: new Date(),
      attempt: 1,
      fencingToken: '1',
    };
    return await stripeRefetchSink({ database: db.database, api, receiver }).send(
      message,
      new AbortController().signal,
    );
  };
  const about = (type: string, id: string, account: string | null = null) => ({
    type,
    id,
    account,
    livemode: false,
    object_key: `${type}/${id}`,
    reason: 'tie',
  });
  const bodyOf = async (eventId: string) => {
    const { rows } = await db.database.pool.query<{ payload: { data: { object: Record<string, unknown> } } }>(
      'select payload from webhook_events where event_id = $1',
      [eventId],
    );
    return rows[0]?.payload.data.object;
  };

  it('hands the answer in as one event, however often it is asked', async () => {
    fake.account('acct_1').put('subscriptions', { id: 'sub_1', status: 'past_due' });
    const request = about('subscription', 'sub_1', 'acct_1');
    expect(await ask(request)).toEqual({ outcome: 'sent', result: { event_id: 'refetch:7' } });
    expect(await ask(request)).toMatchObject({ outcome: 'sent' });
    const row = await inboxRow(db.database, 'refetch:7');
    expect(row).toMatchObject({
      provider: 'stripe',
      endpoint: 'billing',
      event_type: 'mailroom.refetched.subscription',
      object_key: 'subscription/sub_1',
      account: 'acct_1',
      livemode: false,
      origin: 'outbox',
      api_version: '2026-10-28.endive',
      state: 'pending',
    });
    expect(await bodyOf('refetch:7')).toMatchObject({ id: 'sub_1', status: 'past_due' });
    expect(await db.database.kysely.selectFrom('webhook_inbox').select('event_id').execute()).toHaveLength(1);
  });

  it('gives it a time of whole seconds by the clock of Stripe, not after the answer', async () => {
    fake.account().put('subscriptions', { id: 'sub_1', status: 'active' });
    await fake.clock.advance(10 * 24 * 3_600_000);
    await ask(about('subscription', 'sub_1'));
    const { provider_time: time } = await inboxRow(db.database, 'refetch:7');
    const behindMs = fake.clock.now() - (time?.getTime() ?? 0);
    expect(time?.getMilliseconds()).toBe(0);
    expect(behindMs).toBeGreaterThan(0);
    expect(behindMs).toBeLessThan(60_000);
  });

  it('shows all refunds of a charge, however many', async () => {
    const account = fake.account();
    account.put('charges', { id: 'ch_1', amount: 1_000, amount_refunded: 250 });
    for (let n = 0; n < 250; n += 1) account.put('refunds', { id: `re_${n}`, charge: 'ch_1', amount: 1 });
    account.put('refunds', { id: 're_other', charge: 'ch_2', amount: 1 });
    await ask(about('charge', 'ch_1'));
    const refunds = (await bodyOf('refetch:7'))?.['refunds'] as { data: readonly { id: string }[] };
    expect(new Set(refunds.data.map(({ id }) => id)).size).toBe(250);
    expect(refunds.data.map(({ id }) => id)).not.toContain('re_other');
  });

  it('is for a person where the object is not there, or the key is of the other mode', async () => {
    expect(await ask(about('subscription', 'sub_none'))).toMatchObject({
      outcome: 'permanent',
      reason: expect.stringContaining('resource_missing'),
    });
    expect(await ask(about('subscription', 'sub_1'), '8', 'sk_live_fake')).toMatchObject({ outcome: 'permanent' });
    expect(await ask(about('subscription', '../accounts'), '9')).toMatchObject({ outcome: 'permanent' });
    expect(fake.calls).toHaveLength(1);
  });

  it('waits with all other calls where Stripe asked for fewer', async () => {
    fake.account().put('subscriptions', { id: 'sub_1', status: 'active' });
    fake.faults.next({ on: /subscriptions/, answer: 429 });
    expect(await ask(about('subscription', 'sub_1'))).toMatchObject({ outcome: 'postponed' });
    expect(await ask(about('subscription', 'sub_1'))).toMatchObject({ outcome: 'postponed' });
    expect(fake.calls).toHaveLength(1);
  });
});
