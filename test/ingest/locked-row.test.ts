import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { storedRows } from './ledger.ts';
import { openRaw, talk } from './raw-http.ts';
import { onTheWire, type SignedRequest, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let ingest: IngestProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: test.url });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});

it('a redelivery of an event that is being processed is answered in time, and no neighbour waits for the handler', async () => {
  const event = stripeEvent();
  expect((await talk(ingest.port, onTheWire(event))).answers[0]?.status).toBe(200);

  const processing = await test.database.pool.connect();
  try {
    await processing.query('begin');
    // A processing transaction ends with this UPDATE; while it is uncommitted, ON CONFLICT DO NOTHING waits for it.
    await processing.query('update webhook_inbox set attempts = attempts + 1, total_attempts = total_attempts + 1');
    const neighbours = Array.from({ length: 20 }, () => stripeEvent());
    const connections = await sendTogether([...neighbours.slice(0, 10), event, ...neighbours.slice(10)]);
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    // All are here while the handler's transaction is still open.
    expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
    await processing.query('commit');
  } finally {
    processing.release();
  }
  expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
});

it('a delivery whose event somebody else is inserting is told 503 in time, and its redelivery is a duplicate', async () => {
  const event = stripeEvent();
  const inserting = await test.database.pool.connect();
  try {
    await inserting.query('begin');
    await inserting.query(
      `insert into webhook_inbox (provider, endpoint, event_id, delivery_id, event_type, max_attempts)
       values ('stripe', 'billing', $1, gen_random_uuid(), 'invoice.paid', 25)`,
      [event.eventId],
    );
    const neighbour = stripeEvent();
    const [held, free] = await sendTogether([event, neighbour]);
    expect((await free?.answer())?.status).toBe(200);
    expect((await held?.answer())?.status).toBe(503);
    await inserting.query('commit');
  } finally {
    inserting.release();
  }
  expect((await talk(ingest.port, onTheWire(event))).answers[0]?.status).toBe(200);
});

async function sendTogether(requests: readonly SignedRequest[]) {
  const connections = await Promise.all(requests.map(() => openRaw(ingest.port)));
  for (const [number, request] of requests.entries()) connections[number]?.write(onTheWire(request));
  return connections;
}
