import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { storedRows } from './ledger.ts';
import { openRaw, type RawAnswer, talk } from './raw-http.ts';
import { onTheWire, type SignedRequest, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let proxy: CuttableProxy;
let ingest: IngestProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  proxy = await startCuttableProxy(test.url);
  ingest = await startIngest({ databaseUrl: proxy.url });
});
afterAll(async () => {
  await ingest.stop();
  await proxy.close();
  await test.drop();
});
beforeEach(() => emptyInbox(test.database));
afterEach(() => proxy.pass());

describe.each([
  ['refuses connections', () => proxy.refuse().then(() => proxy.cut())],
  ['is cut off in the middle of everything', () => Promise.resolve(proxy.cut()).then(() => proxy.refuse())],
  ['never answers', () => Promise.resolve(proxy.stall())],
])('while the database %s', (_what, breakIt) => {
  it('a delivery is told 503 and when to come back, a bad signature 401, and the process recovers by itself', async () => {
    expect((await post(stripeEvent())).status).toBe(200);
    await breakIt();

    const waiting = stripeEvent();
    const answer = await post(waiting);
    expect([answer.status, answer.headers.get('retry-after'), answer.body]).toEqual([503, '5', '']);
    expect((await post({ ...stripeEvent(), headers: {} })).status).toBe(401);
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(503);

    await proxy.pass();
    await waitFor('the ingestor to be ready again', async () => (await get('/readyz')).status === 200);
    // The writes that were held up may take their turn first.
    await waitFor('the redelivery to be accepted', async () => (await post(waiting)).status === 200);
    expect(await storedRows(test.database, waiting.eventId)).toHaveLength(1);
  });
});

it('a write that succeeds after its 503 makes the redelivery a duplicate', async () => {
  proxy.stall();
  const event = stripeEvent();
  expect((await post(event)).status).toBe(503);
  await proxy.pass();
  await waitFor('the late write', async () => (await storedRows(test.database, event.eventId)).length === 1);
  expect((await post(event)).status).toBe(200);
  expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
});

it('100 deliveries at once are all told 503 while the database never answers', async () => {
  proxy.stall();
  const connections = await Promise.all(Array.from({ length: 100 }, () => openRaw(ingest.port)));
  for (const connection of connections) connection.write(onTheWire(stripeEvent()));
  const answers = await Promise.all(connections.map((connection) => connection.answer()));
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(503));
});

it('past its bound of waiting deliveries the next is refused, so that memory is bounded while the database hangs', async () => {
  const small = await startIngest({
    databaseUrl: proxy.url,
    env: { INGEST_MAX_WAITING_ROWS: '5', INGEST_MAX_ROWS_PER_WRITE: '5' },
  });
  proxy.stall();
  const connections = await Promise.all(Array.from({ length: 20 }, () => openRaw(small.port)));
  for (const connection of connections) connection.write(onTheWire(stripeEvent()));
  const answers = await Promise.all(connections.map((connection) => connection.answer()));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(503));
  const metrics = await small.metrics();
  expect(deliveries(metrics, 'deadline_passed')).toBe(5);
  expect(deliveries(metrics, 'overloaded')).toBe(15);
  await proxy.pass();
  await small.stop();
});

it('starts without a database and is ready once there is one', async () => {
  await proxy.refuse();
  const early = await startIngest({ databaseUrl: proxy.url });
  const ready = async () => (await talk(early.port, requestFor('/readyz'))).answers[0]?.status;
  expect(await ready()).toBe(503);
  expect((await talk(early.port, onTheWire(stripeEvent()))).answers[0]?.status).toBe(503);
  await proxy.pass();
  await waitFor('the early ingestor to be ready', async () => (await ready()) === 200);
  await early.stop();
});

async function post(request: SignedRequest): Promise<RawAnswer> {
  return await only(onTheWire(request));
}

async function get(path: string): Promise<RawAnswer> {
  return await only(requestFor(path));
}

async function only(bytes: Buffer): Promise<RawAnswer> {
  const { answers, rest } = await talk(ingest.port, bytes);
  const [answer] = answers;
  if (!answer || answers.length > 1 || rest !== '') throw new Error(`not one whole answer: ${JSON.stringify(answers)}`);
  return answer;
}

function deliveries(metrics: string, outcome: string): number {
  const line = metrics.split('\n').find((one) => one.startsWith('mailroom_deliveries_total') && one.includes(outcome));
  return Number(line?.split(' ').at(-1));
}

function requestFor(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
}
