import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, emptyInbox, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';

const page = readFileSync(new URL('../../docs/retention.md', import.meta.url), 'utf8');
/** The statements for erasing, as they stand on the page: by object, by content. */
const statements = (/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  .split(/(?<=;)\n/)
  .filter((text) => text.trim() !== '');

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.database.pool.query(readFileSync(new URL('../../infra/postgres/roles.sql', import.meta.url), 'utf8'));
});
beforeEach(() => emptyInbox(db.database));
afterAll(() => db.drop());

test('there are two statements for erasing', () => {
  expect(statements).toHaveLength(2);
});

test.each(statements)('erases the bodies of finished events of one person, and of nobody else: %s', async (text) => {
  const receiver = testReceiver(db.database);
  const receive = (eventId: string, customer: string, email: string) =>
    receiver.receive(
      delivery(eventId, {
        body: Buffer.from(JSON.stringify({ id: eventId, data: { object: { email } } })),
        events: [incomingEvent(eventId, { objectKey: `customer/${customer}` })],
      }),
    );
  await receive('hers', 'cus_123', 'alice@example.org');
  await receive('unfinished', 'cus_123', 'alice@example.org');
  await receive('his', 'cus_456', 'bob@example.org');
  await receiver.close();
  await db.database.pool.query(
    `update webhook_inbox set state = 'processed', processed_at = now() where event_id in ('hers', 'his')`,
  );
  const asPruner = db.open({ url: `${db.url}?options=${encodeURIComponent('-c role=mailroom_pruner')}` });
  await asPruner.pool.query(text);
  const { rows } = await db.database.pool.query(
    'select event_id, body is not null as "hasBody" from webhook_events order by event_id',
  );
  expect(rows).toEqual([
    { event_id: 'hers', hasBody: false },
    { event_id: 'his', hasBody: true },
    { event_id: 'unfinished', hasBody: true },
  ]);
});
