import type { OutgoingMessage } from '@mailroom/outbox';
import { createNatsSink } from '@mailroom/sinks';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hasNatsServer, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { appendTo, outboxRow, testRelay, waitForSent } from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeSink } from './described-sink.ts';

const cannotRun = hasNatsServer() ? null : 'nats-server is not installed (Debian package nats-server)';
const message: OutgoingMessage = {
  id: '42',
  topic: 'invoice.paid',
  aggregate: 'a',
  payload: {},
  payloadText: '{}',
  source: null,
  createdAt: new Date(0),
  attempt: 1,
  fencingToken: '1',
};
const signal = new AbortController().signal;

describe('the NATS JetStream sink', () => {
  let server: NatsServer;
  let db: TestDatabase;
  beforeAll(async () => {
    if (cannotRun !== null) return;
    [server, db] = await Promise.all([startNatsServer(), createTestDatabase()]);
    const connection = await connect({ servers: server.url });
    await (await jetstreamManager(connection)).streams.add({ name: 'MAILROOM', subjects: ['mailroom.>'] });
    await connection.close();
  });
  beforeEach((context) => {
    if (cannotRun !== null) context.skip(cannotRun);
  });
  afterAll(async () => {
    await server?.remove();
    await db?.drop();
  });

  it('says that no stream takes a subject, instead of losing the message', async () => {
    const sink = sinkWith({ subjectPrefix: 'elsewhere.' });
    expect(await sink.send(message, signal)).toMatchObject({
      outcome: 'transient',
      reason: expect.stringContaining('no stream takes the subject elsewhere.invoice.paid') as string,
    });
    await sink.close?.();
  });

  it.each(['has space', 'a..b', 'wild.*', 'all.>', '.a'])('refuses a topic that is no subject: %s', async (topic) => {
    const sink = sinkWith({});
    expect(await sink.send({ ...message, topic }, signal)).toMatchObject({ outcome: 'permanent' });
    await sink.close?.();
  });

  it('refuses what the server would not take', async () => {
    const sink = sinkWith({});
    const payloadText = JSON.stringify('x'.repeat(1_100_000));
    expect(await sink.send({ ...message, payloadText }, signal)).toMatchObject({ outcome: 'permanent' });
    await sink.close?.();
  });

  it('is told by the stream that a message was there already, unless a prefix makes it another', async () => {
    const sink = sinkWith({});
    expect(await sink.send({ ...message, id: '7' }, signal)).toMatchObject({ result: { duplicate: false } });
    expect(await sink.send({ ...message, id: '7', attempt: 2 }, signal)).toMatchObject({ result: { duplicate: true } });
    const other = sinkWith({ idPrefix: 'eu-' });
    expect(await other.send({ ...message, id: '7' }, signal)).toMatchObject({ result: { duplicate: false } });
    await sink.close?.();
    await other.close?.();
  });

  it('sends what waits once a broker that was away is back', async () => {
    await server.stop();
    const [id] = await appendTo(db.database, 'a');
    const retry = { backoff: { baseMs: 100, capMs: 200 }, maxAttempts: 1_000 };
    const relay = testRelay(db.database, makeSink({ kind: 'nats', url: server.url }), { retry });
    await waitFor('an attempt to fail', async () => (await outboxRow(db.database, id)).last_error !== null);
    expect((await outboxRow(db.database, id)).last_error).toMatch(/no connection to NATS/);
    await server.start();
    await waitForSent(db.database);
    await relay.drain();
    expect(await outboxRow(db.database, id)).toMatchObject({ state: 'published' });
  });

  function sinkWith(differing: { readonly subjectPrefix?: string; readonly idPrefix?: string }) {
    return createNatsSink({
      name: 'nats',
      servers: [server.url],
      subjectPrefix: 'mailroom.',
      idPrefix: '',
      token: null,
      credentials: null,
      connectTimeoutMs: 5_000,
      timeoutMs: 5_000,
      ...differing,
    });
  }
});
