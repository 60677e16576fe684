import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startIngest } from '../ingest/ingest-process.ts';
import { billingSecret } from '../ingest/signed-request.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { expireClaims, outboxRow } from '../support/outbox-fixtures.ts';
import { hourMs } from '../support/stripe-fake/fake-clock.ts';
import { type StripeFake, startStripeFake } from '../support/stripe-fake/start-stripe-fake.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWorkerProcess } from '../worker/worker-process.ts';
import { askFor, stripeEvent } from './stripe-stage.ts';

const deadline = { deadlineMs: 45_000 };

describe('worker processes that call Stripe', () => {
  let db: TestDatabase;
  let fake: StripeFake;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    for (const table of ['effect_results', 'provider_limits', 'told_facts', 'subscriptions'])
      await db.database.pool.query(`delete from ${table}`);
    fake = await startStripeFake();
  });
  afterEach(() => fake.close());
  afterAll(() => db.drop());

  const startWorker = () => startWorkerProcess(db.url, { STRIPE_API_KEY: 'sk_test_fake', STRIPE_API_BASE: fake.url });
  const untilSent = (id: string) =>
    waitFor('the call to be made', async () => (await outboxRow(db.database, id)).state === 'published', deadline);
  const askForRefund = () =>
    askFor(db.database, stripeEvent('evt_1'), {
      operation: 'refunds.create',
      params: { charge: 'ch_1', amount: 400 },
      fact: 'returned',
    });

  it.each([
    { forgotten: 'still knows the key', hours: 0 },
    { forgotten: 'has forgotten the key', hours: 25 },
  ])('refund once when one is killed between the call and the record, and Stripe $forgotten', async ({ hours }) => {
    fake.account().put('charges', { id: 'ch_1', amount: 1_000, currency: 'eur' });
    const answers = Promise.withResolvers<void>();
    fake.faults.next({ on: 'POST /v1/refunds', until: answers.promise });
    const id = await askForRefund();
    const victim = await startWorker();
    await waitFor('the refund to be made', () => fake.effects.length === 1, deadline);
    victim.kill('SIGKILL');
    await victim.exited;
    answers.resolve();
    expect(await outboxRow(db.database, id)).toMatchObject({ state: 'pending', attempts: 1 });
    await fake.clock.advance(hours * hourMs);

    await expireClaims(db.database);
    const heir = await startWorker();
    await untilSent(id);
    await heir.stop();
    expect(fake.effects).toEqual(['POST /v1/refunds']);
    expect(fake.account().get('charges', 'ch_1')).toMatchObject({ amount_refunded: 400 });
    expect(await db.database.kysely.selectFrom('effect_results').selectAll().execute()).toMatchObject([
      { effect_key: 'webhook:evt_1:refunds.create', known_by: 'lookup', result: { amount: 400 } },
    ]);
    expect(await outboxRow(db.database, id)).toMatchObject({ attempts: 2, result: { amount: 400 } });
  });

  it('leave a call to one that has a key, and say nothing of the key in their logs', async () => {
    fake.account().put('charges', { id: 'ch_1', amount: 1_000, currency: 'eur' });
    const id = await askForRefund();
    // It logs every message that nobody takes, and must not take this one for such.
    const keyless = await startWorkerProcess(db.url, { OUTBOX_UNROUTED: 'log' });
    await waitFor(
      'the call to wait for a key',
      async () => (await outboxRow(db.database, id)).state === 'unrouted',
      deadline,
    );
    await keyless.stop();
    const worker = await startWorker();
    await untilSent(id);
    await worker.stop();
    expect(fake.effects).toEqual(['POST /v1/refunds']);
    expect(worker.lines.join('\n')).not.toContain('sk_test_fake');
  });

  it('settle a tie: two snapshots of one second, a question, and the answer as an event of its own', async () => {
    const ingest = await startIngest({ databaseUrl: db.url });
    const worker = await startWorker();
    fake.endpoint({ url: `http://127.0.0.1:${ingest.port}/webhooks/stripe/billing`, secret: billingSecret });
    const account = fake.account();
    const subscription = (status: string) => ({
      id: 'sub_1',
      object: 'subscription',
      customer: 'cus_1',
      status,
      cancel_at_period_end: false,
      trial_end: null,
      items: { object: 'list', data: [{ id: 'si_1', current_period_end: 1_900_000_000 }] },
    });
    account.put('subscriptions', subscription('past_due'));
    const created = Math.floor(Date.now() / 1000) - 30;
    // The tie shows the greater id, and that is not how Stripe has it.
    account.emit('customer.subscription.updated', subscription('past_due'), { id: 'evt_a', created });
    account.emit('customer.subscription.updated', subscription('active'), { id: 'evt_b', created });
    await fake.sender.idle();
    expect(fake.sender.attempts.map(({ status }) => status)).toEqual([200, 200]);

    const answers = db.database.kysely
      .selectFrom('webhook_inbox')
      .selectAll()
      .where('event_type', '=', 'mailroom.refetched.subscription');
    await waitFor(
      'the answer to be processed',
      async () => (await answers.execute())[0]?.state === 'processed',
      deadline,
    );
    const asked = await db.database.kysely
      .selectFrom('outbox')
      .selectAll()
      .where('topic', '=', 'stripe.refetch')
      .executeTakeFirstOrThrow();
    await untilSent(asked.outbox_id);
    expect(await answers.execute()).toMatchObject([
      { event_id: `refetch:${asked.outbox_id}`, origin: 'outbox', object_key: 'subscription/sub_1', livemode: false },
    ]);
    expect(await db.database.kysely.selectFrom('subscriptions').selectAll().execute()).toMatchObject([
      { status: 'past_due', contested: false, snapshot_event_id: `refetch:${asked.outbox_id}` },
    ]);
    await Promise.all([worker.stop(), ingest.stop()]);
  });
});
