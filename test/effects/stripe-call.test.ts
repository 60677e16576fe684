import { inTransaction } from '@mailroom/db';
import { callStripe, type StripeCall } from '@mailroom/domain';
import { stripeOperations } from '@mailroom/effects';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hourMs } from '../support/stripe-fake/fake-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { askFor, startStage, stripeEvent } from './stripe-stage.ts';

const refund: StripeCall = { operation: 'refunds.create', params: { charge: 'ch_1', amount: 400 }, fact: 'returned' };

describe('a write-back to Stripe', () => {
  let db: TestDatabase;
  let stage: Awaited<ReturnType<typeof startStage>>;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    for (const table of ['outbox', 'effect_results', 'provider_limits', 'told_facts'])
      await db.database.pool.query(`delete from ${table}`);
    stage = await startStage(db.database);
  });
  afterEach(() => stage.close());
  afterAll(() => db.drop());

  const effect = () => db.database.kysely.selectFrom('effect_results').selectAll().executeTakeFirst();
  const refundsMade = () => stage.fake.effects.filter((name) => name === 'POST /v1/refunds').length;
  const writes = () => stage.fake.calls.filter(({ method }) => method === 'POST');

  it('is made once, under a key of the event and the operation, and its result is recorded', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent', result: { object: 'refund', amount: 400 } });
    expect(writes()).toMatchObject([
      { idempotencyKey: 'webhook:evt_1:refunds.create', apiVersion: '2026-10-28.endive' },
    ]);
    expect(stage.fake.account().all('refunds')).toMatchObject([
      { charge: 'ch_1', metadata: { mailroom_key: 'webhook:evt_1:refunds.create' } },
    ]);
    expect(await effect()).toMatchObject({ known_by: 'answer', result: { amount: 400 }, outbox_id: id });
  });

  it('is not made again by a retry days later, when Stripe has forgotten the key', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    const first = await stage.attempt(id);
    await stage.fake.clock.advance(72 * hourMs);
    expect(await stage.attempt(id)).toEqual({ outcome: 'sent', result: (first as { result: unknown }).result });
    expect(stage.fake.calls).toHaveLength(1);
  });

  it('is found by its key where the process died between the call and the record, a day later too', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    await stage.attempt(id, { crash: true });
    await stage.fake.clock.advance(25 * hourMs);
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent', result: { amount: 400 } });
    expect(refundsMade()).toBe(1);
    expect(await effect()).toMatchObject({ known_by: 'lookup' });
  });

  it('is found among many that others made meanwhile', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    await stage.attempt(id, { crash: true });
    for (let n = 0; n < 250; n += 1) stage.fake.account().put('refunds', { charge: 'ch_1', amount: 1 });
    await stage.fake.clock.advance(25 * hourMs);
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(refundsMade()).toBe(1);
  });

  it('does not look before a first call, and calls again where an answer never came and nothing was made', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: 'POST /v1/refunds', answer: 'drop', times: 2 });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient' });
    expect(stage.fake.calls.filter(({ method }) => method === 'GET')).toHaveLength(0);
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(refundsMade()).toBe(1);
  });

  it('is not made twice where the connection broke after the effect and the key is forgotten', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: 'POST /v1/refunds', answer: 'drop', effect: true, times: 2 });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient' });
    await stage.fake.clock.advance(25 * hourMs);
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(refundsMade()).toBe(1);
  });

  it('gets a new key for a stored 500 only once the key is old and nothing was made', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: 'POST /v1/refunds', answer: 500 });
    for (let n = 0; n < 3; n += 1) expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient' });
    expect(new Set(writes().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await db.database.pool.query("update effect_results set generation_at = generation_at - interval '1 hour'");
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient' });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(writes().at(-1)?.idempotencyKey).toBe('webhook:evt_1:refunds.create:2');
    expect(refundsMade()).toBe(1);
  });

  it('takes what a 500 made all the same', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: 'POST /v1/refunds', answer: 500, effect: true });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient' });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(refundsMade()).toBe(1);
  });

  it('comes again where its key is in use, and happens once however many ask at once', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    const gate = Promise.withResolvers<void>();
    stage.fake.faults.next({ on: 'POST /v1/refunds', until: gate.promise });
    const first = stage.attempt(id, { crash: true });
    await waitFor('the refund to be made', () => refundsMade() === 1);
    stage.fake.account().remove('refunds', stage.fake.account().all('refunds')[0]?.id ?? '');
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient', reason: expect.stringContaining('409') });
    gate.resolve();
    await first;
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(refundsMade()).toBe(1);
  });

  it.each([
    { status: 402, code: 'insufficient_funds' },
    { status: 400, code: 'parameter_invalid_integer' },
    { status: 404, code: 'resource_missing' },
  ])(
    'is buried with the reason at $status $code, and a person who tries again gets a new answer',
    async ({ status, code }) => {
      const id = await askFor(db.database, stripeEvent('evt_1'), refund);
      stage.fake.faults.next({ on: 'POST /v1/refunds', answer: status, code });
      const buried = await stage.attempt(id);
      expect(buried).toMatchObject({ outcome: 'permanent', reason: expect.stringMatching(`${status}.*${code}.*req_`) });
      expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
      expect(refundsMade()).toBe(1);
    },
  );

  it('makes every worker wait as long as Stripe asks for, and burns no attempt', async () => {
    const [one, two] = [await startStage(db.database), await startStage(db.database)];
    const first = await askFor(db.database, stripeEvent('evt_1'), refund);
    const second = await askFor(db.database, stripeEvent('evt_2'), { ...refund, fact: 'another' });
    one.fake.faults.next({ on: /refunds/, answer: 429, headers: { 'retry-after': '30' } });
    const limited = await one.attempt(first);
    expect(limited).toMatchObject({ outcome: 'postponed' });
    expect((limited as { delayMs: number }).delayMs).toBeGreaterThanOrEqual(30_000);
    expect(await two.attempt(second)).toMatchObject({ outcome: 'postponed' });
    expect(two.fake.calls).toEqual([]);
    await db.database.pool.query('update provider_limits set not_before = now()');
    expect(await two.attempt(second)).toMatchObject({ outcome: 'sent' });
    expect(await one.attempt(first)).toMatchObject({ outcome: 'sent' });
    // It was turned away before it began, so nothing had to be looked up.
    expect(one.fake.calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
    await Promise.all([one.close(), two.close()]);
  });

  it('waits longer with each 429 in a row that names no time', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: /refunds/, answer: 429, code: 'rate_limit', times: 3 });
    for (let n = 1; n <= 3; n += 1) {
      expect(await stage.attempt(id)).toMatchObject({ outcome: 'postponed' });
      const limit = await db.database.kysely.selectFrom('provider_limits').selectAll().executeTakeFirstOrThrow();
      expect(limit.hits).toBe(n);
      await db.database.pool.query('update provider_limits set not_before = now()');
    }
  });

  it('holds nobody else up for the lock of one object', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: /refunds/, answer: 429, code: 'lock_timeout', headers: { 'retry-after': '2' } });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'transient', retryAfterMs: 2_000 });
    expect(await db.database.kysely.selectFrom('provider_limits').selectAll().execute()).toEqual([]);
  });

  it('waits for a person to mend the key where Stripe refuses it, and buries nothing', async () => {
    const id = await askFor(db.database, stripeEvent('evt_1'), refund);
    stage.fake.faults.next({ on: /refunds/, answer: 401 });
    expect(await stage.attempt(id)).toMatchObject({
      outcome: 'postponed',
      reason: expect.stringContaining('STRIPE_API_KEY'),
    });
  });

  it('is made in the account of its event, and cancels a subscription that is cancelled already in peace', async () => {
    stage.fake.account('acct_1').put('subscriptions', { id: 'sub_1', status: 'active' });
    const cancel: StripeCall = { operation: 'subscriptions.cancel', id: 'sub_1', fact: 'ended' };
    const id = await askFor(db.database, stripeEvent('evt_1', 'acct_1'), cancel);
    await stage.attempt(id, { crash: true });
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent', result: { status: 'canceled' } });
    expect(stage.fake.effects).toEqual(['DELETE /v1/subscriptions/sub_1']);
    const gone = await askFor(db.database, stripeEvent('evt_2', 'acct_gone'), { ...cancel, fact: 'other' });
    expect(await stage.attempt(gone)).toMatchObject({ outcome: 'permanent' });
  });

  it('changes an object and finds the change again', async () => {
    stage.fake.account().put('customers', { id: 'cus_1', metadata: { ours: 'yes' } });
    const id = await askFor(db.database, stripeEvent('evt_1'), {
      operation: 'customers.update',
      id: 'cus_1',
      params: { metadata: { tier: 'gold' } },
      fact: 'tier gold',
    });
    await stage.attempt(id, { crash: true });
    await stage.fake.clock.advance(25 * hourMs);
    expect(await stage.attempt(id)).toMatchObject({ outcome: 'sent' });
    expect(stage.fake.account().get('customers', 'cus_1')).toMatchObject({ metadata: { ours: 'yes', tier: 'gold' } });
    expect(stage.fake.effects).toHaveLength(1);
  });

  it('is refused where one step of an event asks for two different things', async () => {
    const first = await askFor(db.database, stripeEvent('evt_1'), refund);
    const second = await askFor(db.database, stripeEvent('evt_1'), {
      ...refund,
      params: { charge: 'ch_1', amount: 1 },
      fact: 'b',
    });
    const named = await askFor(db.database, stripeEvent('evt_1'), { ...refund, step: 'rest', fact: 'c' });
    await stage.attempt(first);
    expect(await stage.attempt(second)).toMatchObject({
      outcome: 'permanent',
      reason: expect.stringContaining('step'),
    });
    expect(await stage.attempt(named)).toMatchObject({ outcome: 'sent' });
  });

  it('is asked for once by two Event objects that tell one fact', async () => {
    const ask = (id: string) => inTransaction(db.database, (tx) => callStripe(tx, stripeEvent(id), refund));
    expect([await ask('evt_1'), await ask('evt_1_twin')]).toEqual([true, false]);
    expect(await db.database.kysely.selectFrom('outbox').selectAll().execute()).toHaveLength(1);
  });

  it('knows every operation that handlers may ask for', () => {
    const asked: Record<StripeCall['operation'], true> = {
      'refunds.create': true,
      'invoiceitems.create': true,
      'customers.update': true,
      'subscriptions.update': true,
      'subscriptions.cancel': true,
    };
    expect(Object.keys(asked).toSorted()).toEqual(stripeOperations.toSorted());
  });
});
