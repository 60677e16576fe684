import { handlers } from '@mailroom/domain';
import type { EventHandler } from '@mailroom/inbox';
import { findProvider } from '@mailroom/providers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyBooks, readBooks } from '../domain/books.ts';
import { storedRows } from '../ingest/ledger.ts';
import { openRaw, talk } from '../ingest/raw-http.ts';
import { billingSecret, onTheWire, type SignedRequest, signed } from '../ingest/signed-request.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { billingEndpoint } from './billing-endpoint.ts';
import { type EmbeddedServer, embeddedServers } from './start-embedded.ts';

describe.each(Object.entries(embeddedServers))('embedded in %s', (_name, start) => {
  let db: TestDatabase;
  let proxy: CuttableProxy;
  let server: EmbeddedServer;
  let failHalfWay = false;
  const errors: unknown[] = [];

  beforeAll(async () => {
    db = await createTestDatabase();
    proxy = await startCuttableProxy(db.url);
    server = await start({
      database: db.open({ url: proxy.url, connectTimeoutMs: 1_000 }),
      endpoint: billingEndpoint(billingSecret),
      handlers: handlers.map(thatMayFail),
      onError: (error) => errors.push(error),
    });
  });
  beforeEach(async () => {
    await emptyBooks(db.database);
    await emptyInbox(db.database);
    errors.length = 0;
  });
  afterEach(() => {
    failHalfWay = false;
  });
  afterAll(async () => {
    await server.close();
    await proxy.close();
    await db.drop();
  });

  it('answers 200 with an empty body once receipt and booking are committed, and books a redelivery no second time', async () => {
    const paid = paidInvoice('a');
    for (const delivery of ['first', 'second']) {
      const answer = await post(paid);
      expect([delivery, answer.status, answer.body.length]).toEqual([delivery, 200, 0]);
      expect(await bookings()).toBe(1);
    }
    expect(await storedRows(db.database, paid.eventId)).toMatchObject([{ state: 'processed' }]);
  });

  it('verifies the bytes as they came: odd spacing, pieces cut inside a character, any content type or none', async () => {
    const odd = paidInvoice('odd', (json) => `\r\n${json.replaceAll('":', '" :\t')}`);
    expect((await post(odd)).status).toBe(200);
    const cut = paidInvoice('cut', (json) => json.replace('{', '{"note":"Zoë 🚚",'));
    expect((await talk(server.port, onTheWire(cut, { chunkedBy: 3 }))).answers[0]?.status).toBe(200);
    const { 'Content-Type': _dropped, ...bare } = paidInvoice('bare').headers;
    expect((await post({ ...paidInvoice('bare'), headers: bare })).status).toBe(200);
    const form = { ...bare, 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await post({ ...paidInvoice('bare'), headers: form })).status).toBe(200);
    expect(await bookings()).toBe(3);
  });

  it('answers 401 to a body that was parsed and written again, and to none at all, and stores nothing', async () => {
    const odd = paidInvoice('odd', (json) => json.replaceAll('":', '": '));
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(odd.body.toString())));
    expect((await post({ ...odd, body: rewritten })).status).toBe(401);
    expect((await post({ ...odd, body: Buffer.alloc(0) })).status).toBe(401);
    expect((await post({ ...odd, headers: { 'Content-Type': 'application/json' } })).status).toBe(401);
    expect(await storedRows(db.database, odd.eventId)).toEqual([]);
    expect(await bookings()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('answers 503 when the business update fails, keeps no receipt, and books the redelivery', async () => {
    const paid = paidInvoice('a');
    failHalfWay = true;
    const refused = await post(paid);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(errors).toMatchObject([{ message: 'half-way' }]);
    expect(await storedRows(db.database, paid.eventId)).toEqual([]);
    expect(await bookings()).toBe(0);

    failHalfWay = false;
    expect((await post(paid)).status).toBe(200);
    expect(await bookings()).toBe(1);
  });

  it('answers 503 while the database is away, and recovers by itself', async () => {
    const paid = paidInvoice('a');
    await proxy.refuse();
    proxy.cut();
    expect((await post(paid)).status).toBe(503);
    await proxy.pass();
    expect((await post(paid)).status).toBe(200);
    expect(await bookings()).toBe(1);
  });

  it('answers 413 over its limit', async () => {
    const large = paidInvoice('large', (json) => json.replace('{', `{"note":"${'x'.repeat(1_100_000)}",`));
    const connection = await openRaw(server.port);
    connection.write(onTheWire(large));
    expect((await connection.answer()).status).toBe(413);
    connection.socket.destroy();
    expect(await bookings()).toBe(0);
  });

  it('leaves the JSON of its other routes as it was', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a": 1}',
    });
    expect(await answer.json()).toEqual({ a: 1 });
  });

  async function post(request: SignedRequest) {
    const [answer] = (await talk(server.port, onTheWire(request))).answers;
    if (!answer) throw new Error('no answer');
    return answer;
  }

  async function bookings(): Promise<number> {
    return (await readBooks(db.database)).ledger.length;
  }

  function thatMayFail(handler: EventHandler): EventHandler {
    return {
      ...handler,
      async handle(context) {
        const outcome = await handler.handle(context);
        if (failHalfWay) throw new Error('half-way');
        return outcome;
      },
    };
  }
});

/** A paid invoice of its own, signed over whatever `spell` makes of its JSON. */
function paidInvoice(tag: string, spell: (json: string) => string = (json) => json): SignedRequest {
  const sample = findProvider('stripe')?.samples['invoice.paid'];
  if (!sample) throw new Error('Stripe has no sample of invoice.paid');
  const event = sample.body({ tag, nowMs: paidAtMs }) as { readonly id: string };
  return { ...signed(Buffer.from(spell(JSON.stringify(event)))), eventId: event.id };
}

// The same in every call, so that the headers of one are right for the body of the next.
const paidAtMs = Date.now();
