import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows, storedRows } from './ledger.ts';
import { openRaw, talk } from './raw-http.ts';
import { headOf, onTheWire, stripeEvent } from './signed-request.ts';

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
beforeEach(() => emptyInbox(test.database));

const path = '/webhooks/stripe/billing';

describe('how a body may come', () => {
  it.each([1, 7, 1_000])('chunked without a length, in chunks of %d bytes, is accepted', async (chunkedBy) => {
    const event = stripeEvent();
    const { answers } = await talk(ingest.port, onTheWire(event, { chunkedBy }));
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect((await storedRows(test.database, event.eventId))[0]?.body).toEqual(event.body);
  });

  it('pipelined requests are answered one by one, in order, and each is stored', async () => {
    const events = Array.from({ length: 5 }, () => stripeEvent());
    const connection = await openRaw(ingest.port);
    const refused = { ...stripeEvent(), headers: {} };
    const requests = [...events.slice(0, 3), refused, ...events.slice(3)];
    connection.write(Buffer.concat(requests.map((request) => onTheWire(request, { lines: [] }))));
    await connection.answer(5);
    connection.socket.end();
    const { answers, rest } = await connection.closed();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 200, 200]);
    expect(rest).toBe('');
    expect(await countRows(test.database)).toBe(5);
  });

  it('a request behind one that is fine does not take its answer, however broken it is', async () => {
    const event = stripeEvent();
    const { answers, rest } = await talk(
      ingest.port,
      Buffer.concat([onTheWire(event, { lines: [] }), Buffer.from('NONSENSE\r\n\r\n')]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect(rest).toBe('');
    expect(await storedRows(test.database, event.eventId)).toHaveLength(1);
  });

  it('a connection is kept open for the next delivery', async () => {
    const connection = await openRaw(ingest.port);
    for (const number of [0, 1, 2]) {
      connection.write(onTheWire(stripeEvent(), { lines: [] }));
      const answer = await connection.answer(number);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('connection')).toBe('keep-alive');
    }
    connection.socket.destroy();
    expect(await countRows(test.database)).toBe(3);
  });

  it('HTTP/1.0 without a Host is accepted', async () => {
    const event = stripeEvent();
    const bytes = onTheWire(event, { lines: [] })
      .toString('latin1')
      .replace('HTTP/1.1\r\nHost: mailroom.test', 'HTTP/1.0');
    const { answers } = await talk(ingest.port, Buffer.from(bytes, 'latin1'));
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('a client that ends its side after the request still gets its answer', async () => {
    const connection = await openRaw(ingest.port);
    connection.socket.end(onTheWire(stripeEvent(), { lines: [] }));
    const { answers } = await connection.closed();
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('Expect: 100-continue is asked for the body, and only when the body is wanted', async () => {
    const lines = ['Expect: 100-continue', 'Connection: close'];
    const event = stripeEvent();
    const wanted = await openRaw(ingest.port);
    wanted.write(headOf(event, { lines }));
    expect((await wanted.answer(0)).status).toBe(100);
    wanted.write(event.body);
    expect((await wanted.answer(1)).status).toBe(200);

    const unknown = await openRaw(ingest.port);
    unknown.write(headOf(event, { lines, path: '/webhooks/stripe/nowhere' }));
    expect((await unknown.answer(0)).status).toBe(404);
    unknown.socket.destroy();

    const tooLarge = await openRaw(ingest.port);
    tooLarge.write(headOf({ ...event, body: Buffer.alloc(2_000_000) }, { lines }));
    expect((await tooLarge.answer(0)).status).toBe(413);
    tooLarge.socket.destroy();
  });

  it.each([
    ['the absolute form', `http://mailroom.test${path}`],
    ['a query', `${path}?source=stripe&x=/../y`],
  ])('%s of the target is accepted', async (_what, target) => {
    const { answers } = await talk(ingest.port, onTheWire(stripeEvent(), { path: target }));
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('an upload that breaks off stores nothing', async () => {
    const event = stripeEvent();
    const ended = await openRaw(ingest.port);
    ended.socket.end(onTheWire(event).subarray(0, -1));
    expect((await ended.closed()).answers.map(({ status }) => status)).toEqual([400]);
    const reset = await openRaw(ingest.port);
    reset.write(onTheWire(event).subarray(0, -1));
    reset.socket.resetAndDestroy();
    // What is counted after a later request on the same process has been stored is all there will be.
    expect((await talk(ingest.port, onTheWire(stripeEvent()))).answers[0]?.status).toBe(200);
    expect(await storedRows(test.database, event.eventId)).toEqual([]);
  });
});

describe('what is refused', () => {
  it.each([
    ['/webhooks/stripe/nowhere'],
    ['/webhooks/nobody/billing'],
    ['/webhooks/__proto__/constructor'],
    ['/webhooks/x/%2e%2e/stripe/billing'],
    ['/webhooks/x/../stripe/billing'],
    ['/webhooks//stripe/billing'],
    ['//webhooks/stripe/billing'],
    ['/webhooks/stripe/billing/'],
    ['/webhooks/Stripe/billing'],
    ['/WEBHOOKS/stripe/billing'],
    ['/webhooks/stripe%2Fbilling'],
    ['/webhooks/stripe/billin%67'],
    ['/webhooks/stripe/billing%00'],
    ['/webhooks/stripe/billing;v=1'],
    ['/webhooks/stripe/billing#top'],
    ['/webhooks/stripe/%'],
    ['/webhooks/stripe/%ff'],
    ['/'],
  ])('the path %s is not found', async (target) => {
    const { answers } = await talk(ingest.port, onTheWire(stripeEvent(), { path: target }));
    expect(answers.map(({ status }) => status)).toEqual([404]);
    expect(await countRows(test.database)).toBe(0);
  });

  it.each([
    ['a length and chunks at once', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two different lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length that is no number', 'Content-Length: two\r\n\r\n{}'],
    ['a broken chunk', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
    ['a bare line feed in a header', 'X-Test: a\nX-Other: b\r\nContent-Length: 2\r\n\r\n{}'],
  ])('%s is a bad request', async (_what, rest) => {
    const { answers } = await talk(ingest.port, `POST ${path} HTTP/1.1\r\nHost: mailroom.test\r\n${rest}`);
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });

  it.each([
    ['no Host', `POST ${path} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`],
    ['a backslash in the path', 'POST /webhooks\\stripe\\billing HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'],
    ['a path without a slash', 'POST webhooks/stripe/billing HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'],
    ['a Host that is none', `POST ${path} HTTP/1.1\r\nHost: a b\r\nContent-Length: 2\r\n\r\n{}`],
    ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s is a bad request', async (_what, request) => {
    const { answers } = await talk(ingest.port, Buffer.from(request, 'latin1'));
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });

  it('a head that is too large is told so', async () => {
    const lines = [`X-Filler: ${'x'.repeat(20_000)}`];
    const { answers } = await talk(ingest.port, onTheWire(stripeEvent(), { lines }));
    expect(answers.map(({ status }) => status)).toEqual([431]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
    '%s is not allowed on an endpoint',
    async (method) => {
      const { answers } = await talk(ingest.port, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(answers.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([[405, 'POST']]);
    },
  );

  it.each(['/healthz', '/readyz'])('only GET and HEAD are allowed on %s', async (target) => {
    const { answers } = await talk(ingest.port, onTheWire(stripeEvent(), { path: target }));
    expect(answers.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([[405, 'GET, HEAD']]);
  });
});

it('says that it is alive and that it is ready', async () => {
  for (const target of ['/healthz', '/readyz']) {
    const { answers } = await talk(ingest.port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  }
});
