import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows, storedRows } from './ledger.ts';
import { openRaw, type RawConnection, type RawConversation } from './raw-http.ts';
import { headOf, onTheWire, stripeEvent } from './signed-request.ts';

let test: TestDatabase;
let proxy: CuttableProxy;

beforeAll(async () => {
  test = await createTestDatabase();
  proxy = await startCuttableProxy(test.url);
});
afterAll(async () => {
  await proxy.close();
  await test.drop();
});
beforeEach(async () => {
  await proxy.pass();
  await emptyInbox(test.database);
});

it('at SIGTERM with 300 requests in flight every 200 that a client sees is in the ledger, and no answer is broken', async () => {
  const ingest = await start({ INGEST_ANSWER_DEADLINE_MS: '5000' });
  // Keeps writes waiting, so that the requests are in flight for as long as the test wants.
  proxy.stall();
  const sent = await Promise.all(Array.from({ length: 300 }, () => sendOne(ingest)));
  const inFlight = await waitFor('300 requests in flight', async () => {
    const count = await requestsInFlight(ingest);
    return count >= 300 ? count : null;
  });
  ingest.process.kill('SIGTERM');
  await ingest.process.waitForLine('"shutdown_started"');
  // Clients do not stop coming because a process is told to.
  const late = await Promise.all(Array.from({ length: 20 }, () => sendOne(ingest).catch(() => null)));
  await proxy.pass();

  const talks = await Promise.all(
    [...sent, ...late.filter((one) => one !== null)].map(async ({ event, connection }) => ({
      event,
      conversation: await connection.closed(),
    })),
  );
  expect(await ingest.process.exited).toEqual({ code: 0, signal: null });

  // Each client saw a whole 200, a whole 503, or the connection end before any byte of an answer.
  const seen = { 200: 0, 503: 0, nothing: 0 };
  for (const { conversation } of talks) seen[whatWasSeen(conversation)] += 1;
  const accepted = talks.filter(({ conversation }) => conversation.answers[0]?.status === 200);
  for (const { event } of accepted) expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
  process.stdout.write(`shutdown with ${inFlight} requests in flight, as clients saw it: ${JSON.stringify(seen)}\n`);
  expect(seen[200]).toBeGreaterThanOrEqual(200);
});

it('at SIGTERM under steady traffic on kept connections every 200 is in the ledger, and no answer is broken', async () => {
  const ingest = await start();
  const clients = Array.from({ length: 50 }, () => keepSending(ingest));
  await waitFor('traffic to flow', async () => (await countRows(test.database)) >= 500);
  ingest.process.kill('SIGTERM');
  const accepted = (await Promise.all(clients)).flat();
  expect(await ingest.process.exited).toEqual({ code: 0, signal: null });

  const rows = await test.database.kysely.selectFrom('webhook_inbox').select('event_id').execute();
  const stored = new Set(rows.map((row) => row.event_id));
  expect(accepted.length).toBeGreaterThanOrEqual(500);
  expect(accepted.filter((eventId) => !stored.has(eventId))).toEqual([]);
  process.stdout.write(`clients saw ${accepted.length} times 200; the ledger holds ${stored.size}\n`);
});

it('a write that was given up by its client is still flushed before the process ends', async () => {
  const ingest = await start();
  proxy.stall();
  const { event, connection } = await sendOne(ingest);
  expect((await connection.answer()).status).toBe(503);
  ingest.process.kill('SIGTERM');
  await ingest.process.waitForLine('"shutdown_started"');
  await proxy.pass();
  expect(await ingest.process.exited).toEqual({ code: 0, signal: null });
  expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
});

it('after the signal it is not ready, takes no connection, answers 503 on those it has, and lets an upload finish', async () => {
  const ingest = await start();
  const slow = { event: stripeEvent(), connection: await openRaw(ingest.port) };
  const silent = await openRaw(ingest.port);
  slow.connection.write(Buffer.concat([headOf(slow.event), slow.event.body.subarray(0, 10)]));
  await waitFor('the upload to have begun', async () => (await requestsInFlight(ingest)) === 1);

  ingest.process.kill('SIGTERM');
  await ingest.process.waitForLine('"shutdown_started"');
  expect((await fetch(`http://127.0.0.1:${ingest.adminPort}/readyz`)).status).toBe(503);
  await expect(openRaw(ingest.port)).rejects.toThrow('ECONNREFUSED');
  silent.write(onTheWire(stripeEvent(), { lines: [] }));
  const refused = await silent.answer();
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
    503,
    '5',
    'close',
  ]);

  slow.connection.write(slow.event.body.subarray(10));
  expect((await slow.connection.answer()).status).toBe(200);
  expect(await ingest.process.exited).toEqual({ code: 0, signal: null });
  expect(await storedRows(test.database, slow.event.eventId)).toHaveLength(1);
});

it('idle and silent connections do not keep the process', async () => {
  const ingest = await start();
  const idle = await openRaw(ingest.port);
  idle.write(onTheWire(stripeEvent(), { lines: [] }));
  await idle.answer();
  const silent = await openRaw(ingest.port);
  const halfAHead = await openRaw(ingest.port);
  halfAHead.write('POST /webhooks/stripe/billing HTTP/1.1\r\nHost:');
  await ingest.stop();
  for (const connection of [silent, halfAHead]) {
    expect(await connection.closed()).toEqual({ answers: [], rest: '' });
  }
});

it('past its deadline it exits with 1', async () => {
  const ingest = await start({ SHUTDOWN_DEADLINE_MS: '500' });
  const stuck = await openRaw(ingest.port);
  stuck.write(headOf(stripeEvent()));
  await waitFor('the upload to have begun', async () => (await requestsInFlight(ingest)) === 1);
  ingest.process.kill('SIGINT');
  expect(await ingest.process.exited).toEqual({ code: 1, signal: null });
  expect(ingest.process.lines.join('\n')).toContain('shutdown_deadline_passed');
});

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a second signal, %s, ends it at once with %d', async (signal, code) => {
  const ingest = await start();
  const stuck = await openRaw(ingest.port);
  stuck.write(headOf(stripeEvent()));
  await waitFor('the upload to have begun', async () => (await requestsInFlight(ingest)) === 1);
  ingest.process.kill('SIGTERM');
  await ingest.process.waitForLine('"shutdown_started"');
  // Signals that follow the first within a moment are the same press; this one is repeated until it counts.
  const pressing = setInterval(() => ingest.process.kill(signal), 100);
  expect(await ingest.process.exited).toEqual({ code, signal: null });
  clearInterval(pressing);
});

it('one Ctrl-C that arrives twice, from the terminal and from npm, still ends it cleanly', async () => {
  const ingest = await start();
  const busy = await sendOne(ingest);
  expect((await busy.connection.answer()).status).toBe(200);
  ingest.process.killGroup('SIGINT');
  ingest.process.kill('SIGINT');
  expect(await ingest.process.exited).toEqual({ code: 0, signal: null });
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<IngestProcess> {
  return await startIngest({ databaseUrl: proxy.url, env });
}

async function sendOne(ingest: IngestProcess): Promise<{
  readonly event: ReturnType<typeof stripeEvent>;
  readonly connection: RawConnection;
}> {
  const event = stripeEvent();
  const connection = await openRaw(ingest.port);
  connection.write(onTheWire(event, { lines: [] }));
  return { event, connection };
}

/** One delivery after the other on one connection until it is closed; resolves with the events that were answered 200. */
async function keepSending(ingest: IngestProcess): Promise<readonly string[]> {
  const connection = await openRaw(ingest.port);
  const sent: string[] = [];
  for (;;) {
    const event = stripeEvent();
    sent.push(event.eventId);
    connection.write(onTheWire(event, { lines: [] }));
    const answer = await connection.answer(sent.length - 1).catch(() => null);
    if (answer === null || answer.status !== 200 || answer.headers.get('connection') === 'close') break;
  }
  const { answers, rest } = await connection.closed();
  if (rest !== '') throw new Error(`a broken answer: ${rest}`);
  return sent.filter((_, number) => answers[number]?.status === 200);
}

async function requestsInFlight(ingest: IngestProcess): Promise<number> {
  return Number(/^mailroom_in_flight_requests (\d+)$/m.exec(await ingest.metrics())?.[1]);
}

function whatWasSeen({ answers, rest }: RawConversation): 200 | 503 | 'nothing' {
  const [answer] = answers;
  if (rest !== '' || answers.length > 1) throw new Error(`a broken answer: ${JSON.stringify({ answers, rest })}`);
  if (answer === undefined) return 'nothing';
  if (answer.headers.get('connection') !== 'close') throw new Error('an answer that keeps its connection open');
  if (answer.status === 200 || answer.status === 503) return answer.status;
  throw new Error(`an answer of ${answer.status}`);
}
