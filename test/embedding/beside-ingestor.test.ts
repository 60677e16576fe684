import { type HandlerContext, receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IngestProcess, startIngest } from '../ingest/ingest-process.ts';
import { storedRows } from '../ingest/ledger.ts';
import { openRaw, talk } from '../ingest/raw-http.ts';
import { onTheWire, stripeEvent } from '../ingest/signed-request.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bookEffect, delivery, effectsOf, incomingEvent } from '../support/inbox-fixtures.ts';

let db: TestDatabase;
let ingest: IngestProcess;

beforeAll(async () => {
  db = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: db.url });
});
afterAll(async () => {
  await ingest.stop();
  await db.drop();
});

it('a long receiveAndProcess holds up no neighbour in an ingestor; its own event is refused there, then a duplicate', async () => {
  const event = stripeEvent();
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = {
    provider: 'stripe',
    eventType: 'invoice.paid',
    async handle({ tx }: HandlerContext) {
      await bookEffect(tx, event.eventId);
      entered.resolve();
      await release.promise;
      return done;
    },
  };
  const events = [incomingEvent(event.eventId, { eventType: 'invoice.paid' })];
  const held = receiveAndProcess(db.database, delivery(event.eventId, { body: event.body, events }), [slow]);
  await entered.promise;

  const neighbours = Array.from({ length: 20 }, () => stripeEvent());
  const requests = [...neighbours.slice(0, 10), event, ...neighbours.slice(10)];
  const connections = await Promise.all(requests.map(() => openRaw(ingest.port)));
  for (const [number, request] of requests.entries()) connections[number]?.write(onTheWire(request));
  const answers = await Promise.all(connections.map((connection) => connection.answer()));
  // All are here while the handler still has its transaction open; nothing was released yet.
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 503, ...Array(10).fill(200)]);
  expect(await storedRows(db.database, event.eventId)).toEqual([]);

  release.resolve();
  expect(await held).toMatchObject([{ outcome: 'processed' }]);
  expect((await talk(ingest.port, onTheWire(event))).answers[0]?.status).toBe(200);
  expect(await storedRows(db.database, event.eventId)).toMatchObject([{ state: 'processed' }]);
  expect(await effectsOf(db.database, event.eventId)).toBe(1);
});
