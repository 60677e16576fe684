import { inTransaction } from '@mailroom/db';
import { append } from '@mailroom/outbox';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { testRelay, waitForSent } from '../support/outbox-fixtures.ts';
import { makeSink } from './described-sink.ts';
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';
import { receiveMessage } from './receiver-example.ts';
import { signingKey } from './sinks-under-test.ts';

let db: TestDatabase;
let receiver: HttpReceiver;
let client: Client;
beforeAll(async () => {
  [db, receiver] = await Promise.all([createTestDatabase(), startHttpReceiver()]);
  client = new Client({ connectionString: db.url });
  await client.connect();
  await client.query('create table seen_messages (id text primary key)');
  await client.query('create table revenue (amount numeric not null)');
});
afterAll(async () => {
  await client.end();
  await receiver.close();
  await db.drop();
});

it('the receiver of docs/outbox.md applies a message once, however often it comes', async () => {
  let posts = 0;
  receiver.answer((response, { headers, body }) => {
    posts += 1;
    const first = posts === 1;
    receiveMessage(client, signingKey, body, headers as Record<string, string>)
      // The first answer is lost on its way.
      .then(() => (first ? response.destroy() : response.end()))
      .catch(() => response.writeHead(400).end());
  });
  await inTransaction(db.database, (tx) =>
    append(tx, { topic: 'invoice.paid', aggregate: 'stripe:invoice:in_1', payload: { amount: '1200' } }),
  );
  const relay = testRelay(db.database, makeSink({ kind: 'http', url: receiver.url, key: signingKey }));
  await waitForSent(db.database);
  await relay.drain();
  expect(posts).toBe(2);
  expect((await client.query('select amount from revenue')).rows).toEqual([{ amount: '1200' }]);
});
