import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';
import { testRelay, waitForSent } from '../support/outbox-fixtures.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';
import { refundAfterEnd } from './refund-after-end.ts';
import { startStage } from './stripe-stage.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it('what a handler asks of Stripe is done once for an event, its twin and its duplicates', async () => {
  const stage = await startStage(db.database);
  stage.fake.account().put('charges', { id: 'ch_2', payment_intent: 'pi_1', amount: 2_500, currency: 'eur' });
  const worker = startWorker(workerOptions(db.database, { handlers: [refundAfterEnd] }));
  const receiver = testReceiver(db.database);
  for (const eventId of ['evt_1', 'evt_1_twin', 'evt_1']) {
    const body = Buffer.from(JSON.stringify({ id: eventId, data: { object: { id: 'pi_1', customer: 'cus_1' } } }));
    const events = [incomingEvent(eventId, { eventType: 'payment_intent.succeeded', livemode: false })];
    await receiver.receive(delivery(eventId, { body, events }));
  }
  await receiver.close();
  await waitFor('both events to be processed', async () => {
    const { rows } = await db.database.pool.query("select from webhook_inbox where state = 'processed'");
    return rows.length === 2;
  });
  await worker.drain();

  const relay = testRelay(db.database, stage.sink);
  await waitForSent(db.database);
  await relay.drain();
  expect(stage.fake.effects).toEqual(['POST /v1/refunds']);
  expect(stage.fake.account().all('refunds')).toMatchObject([{ payment_intent: 'pi_1', amount: 2_500 }]);
  expect(await db.database.kysely.selectFrom('outbox').selectAll().execute()).toMatchObject([
    { topic: 'stripe.call', aggregate: 'stripe:payment_intent:pi_1', state: 'published', result: { amount: 2_500 } },
  ]);
  await stage.close();
});
