import { type Rereading, reparseEvent } from '@mailroom/inbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, emptyInbox, inboxRow, incomingEvent, testReceiver } from '../support/inbox-fixtures.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());
beforeEach(async () => {
  await emptyInbox(db.database);
  await db.database.kysely.deleteFrom('operator_actions').execute();
});

const body = Buffer.from('two events, to whoever can read them');
const key = { provider: 'stripe', endpoint: 'billing', eventId: 'sha256:dark' };

test('the events of a quarantined delivery come in under their own names and the row is finished, on record', async () => {
  await quarantine();
  await testReceiver(db.database).receive(delivery('known'));

  const outcome = await reparse(['one', 'two', 'known']);

  expect(outcome).toEqual({ outcome: 'reparsed', eventIds: ['one', 'two', 'known'], duplicates: 1 });
  for (const id of ['one', 'two']) {
    expect(await inboxRow(db.database, id)).toMatchObject({
      state: 'pending',
      origin: 'reparse',
      secret_label: 'test',
    });
  }
  expect(await inboxRow(db.database, 'known')).toMatchObject({ state: 'pending', origin: 'webhook' });
  expect(await inboxRow(db.database, key.eventId)).toMatchObject({
    state: 'ignored',
    state_reason: 'read again: 3 events came of it',
    processed_at: expect.any(Date),
  });
  const bodies = await db.database.kysely
    .selectFrom('webhook_inbox as i')
    .innerJoin('webhook_delivery as d', 'd.delivery_id', 'i.delivery_id')
    .select('d.body')
    .where('i.event_id', 'in', ['one', 'two'])
    .execute();
  expect(bodies.map((stored) => stored.body.equals(body))).toEqual([true, true]);
  expect(await db.database.kysely.selectFrom('operator_actions').selectAll().execute()).toMatchObject([
    { actor: 'alice', action: 'reparse', reason: 'reader mended', affected: '3' },
  ]);
});

test('an event that bears the name under which it was quarantined becomes that row', async () => {
  await quarantine();
  expect(await reparse([key.eventId, 'two'])).toMatchObject({ outcome: 'reparsed', duplicates: 0 });
  expect(await inboxRow(db.database, key.eventId)).toMatchObject({
    state: 'pending',
    state_reason: null,
    event_type: 'test.event',
    origin: 'reparse',
  });
  expect(await inboxRow(db.database, 'two')).toMatchObject({ state: 'pending' });
});

test('what still cannot be read stays as it is, and nothing is recorded', async () => {
  await quarantine();
  const before = await inboxRow(db.database, key.eventId);
  expect(await reparseWith({ outcome: 'unreadable', reason: 'not yet' })).toEqual({
    outcome: 'still_unreadable',
    reason: 'not yet',
  });
  const own = incomingEvent(key.eventId, { quarantineReason: 'the item is no object' });
  expect(await reparseWith({ outcome: 'events', events: [incomingEvent('one'), own] })).toMatchObject({
    outcome: 'still_unreadable',
  });
  expect(await inboxRow(db.database, key.eventId)).toEqual(before);
  const { rows } = await db.database.pool.query<{ rows: number }>(
    `select (select count(*) from webhook_inbox)::int + (select count(*) from operator_actions)::int as rows`,
  );
  expect(rows[0]?.rows).toBe(1);
});

test('an event is read again once, however many ask at a time', async () => {
  await quarantine();
  const outcomes = await Promise.all([reparse(['one']), reparse(['one']), reparse(['one'])]);
  expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['not_quarantined', 'not_quarantined', 'reparsed']);
});

test('only what is quarantined and has its body is read again', async () => {
  expect(await reparse(['one'])).toEqual({ outcome: 'not_found' });
  await testReceiver(db.database).receive(delivery(key.eventId));
  expect(await reparse(['one'])).toEqual({ outcome: 'not_quarantined', state: 'pending' });
  await emptyInbox(db.database);
  await quarantine();
  await db.database.kysely.deleteFrom('webhook_delivery').execute();
  expect(await reparse(['one'])).toEqual({ outcome: 'body_expired' });
});

async function quarantine(): Promise<void> {
  const events = [incomingEvent(key.eventId, { eventType: 'unreadable', quarantineReason: 'no reader' })];
  await testReceiver(db.database).receive(delivery(key.eventId, { body, events }));
}

function reparse(eventIds: readonly string[]) {
  return reparseWith({ outcome: 'events', events: eventIds.map((id) => incomingEvent(id)) });
}

function reparseWith(rereading: Rereading) {
  const read = () => rereading;
  return reparseEvent(db.database, { key, read, maxAttempts: 3, actor: 'alice', reason: 'reader mended' });
}
