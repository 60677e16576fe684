import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { storedRows } from './ledger.ts';
import { openRaw, talk } from './raw-http.ts';
import { headOf, onTheWire, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let ingest: IngestProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({
    databaseUrl: test.url,
    env: { INGEST_HEADER_DEADLINE_MS: '1000', INGEST_BODY_DEADLINE_MS: '1000' },
  });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});

it('a body that does not come is told 408 and nothing of it is stored', async () => {
  const event = stripeEvent();
  const connection = await openRaw(ingest.port);
  connection.write(onTheWire(event).subarray(0, -1));
  expect((await connection.answer()).status).toBe(408);
  connection.write(event.body.subarray(-1));
  await connection.closed();
  expect(await storedRows(test.database, event.eventId)).toEqual([]);
});

it('a body that comes byte by byte is told 408 all the same', async () => {
  const event = stripeEvent();
  const connection = await openRaw(ingest.port);
  connection.write(headOf(event));
  let at = 0;
  const dripping = setInterval(() => connection.write(event.body.subarray(at, ++at)), 50);
  const answer = await connection.answer();
  clearInterval(dripping);
  connection.socket.destroy();
  expect(answer.status).toBe(408);
});

it('a head that does not come is told 408', async () => {
  const connection = await openRaw(ingest.port);
  connection.write('POST /webhooks/stripe/billing HTTP/1.1\r\nHost: a\r\nContent-Le');
  expect((await connection.closed()).answers.map(({ status }) => status)).toEqual([408]);
});

it('a connection on which nothing ever comes is ended', async () => {
  const connection = await openRaw(ingest.port);
  expect((await connection.closed()).rest).toBe('');
});

it('200 slow bodies hold no other delivery up', async () => {
  const slow = await Promise.all(Array.from({ length: 200 }, () => openRaw(ingest.port)));
  for (const connection of slow) connection.write(onTheWire(stripeEvent()).subarray(0, -1));
  const event = stripeEvent();
  const { answers } = await talk(ingest.port, onTheWire(event));
  expect(answers.map(({ status }) => status)).toEqual([200]);
  expect(slow.every(({ socket }) => socket.readable)).toBe(true);
  const refused = await Promise.all(slow.map((connection) => connection.answer()));
  expect(refused.map(({ status }) => status)).toEqual(Array(200).fill(408));
  for (const { socket } of slow) socket.destroy();
});
