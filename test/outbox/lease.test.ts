import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  appendTo,
  claimMessages,
  expireClaims,
  notingSink,
  outboxRow,
  testRelay,
  waitForSent,
} from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

describe('the lease of a message', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => db.database.pool.query('delete from outbox'));
  afterAll(() => db.drop());

  it('is renewed while the message is being sent and while others wait behind it, so nobody else sends them', async () => {
    const ids = await appendTo(db.database, 'a', 'a');
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const slow = notingSink(async () => {
      begun.resolve();
      await gate.promise;
      return { outcome: 'sent' };
    });
    const relay = testRelay(db.database, slow, { leaseMs: 6_000, sendTimeoutMs: 60_000 });
    await begun.promise;
    const ends = async () => await Promise.all(ids.map(async (id) => (await outboxRow(db.database, id)).claimed_until));
    const first = await ends();
    const other = notingSink();
    const idle = testRelay(db.database, other, { name: 'r2' });
    await waitFor('both leases to be renewed', async () => {
      return (await ends()).every((end, n) => (end?.getTime() ?? 0) > (first[n]?.getTime() ?? 0));
    });
    gate.resolve();
    await waitForSent(db.database);
    await Promise.all([relay.drain(), idle.drain()]);
    expect(slow.given.map(({ id, fencingToken }) => [id, fencingToken])).toEqual(ids.map((id) => [id, '1']));
    expect(other.given).toEqual([]);
  });

  it('ends the sending when it is lost, and what was behind it is not sent by the one who lost it', async () => {
    const ids = await appendTo(db.database, 'a', 'a');
    const begun = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const outcomes: string[] = [];
    const sink = notingSink(async (_message, signal) => {
      signal.addEventListener('abort', () => told.resolve());
      begun.resolve();
      await told.promise;
      return { outcome: 'sent' };
    });
    const relay = testRelay(db.database, sink, {
      leaseMs: 1_500,
      sendTimeoutMs: 60_000,
      observe: { finished: (_message, _sink, outcome) => outcomes.push(outcome) },
    });
    await begun.promise;
    const taken = await waitFor('another relay to take over', async () => {
      await expireClaims(db.database);
      return (await claimMessages(db.database, { relay: 'r2' }))[0];
    });
    expect(taken.id).toBe(ids[0]);
    await told.promise;
    await relay.drain();
    expect(new Set(outcomes)).toEqual(new Set(['stale']));
    expect(new Set(sink.given.map(({ id }) => id))).toEqual(new Set([ids[0]]));
    expect(await outboxRow(db.database, ids[0])).toMatchObject({ claimed_by: 'r2', published_at: null });
  });
});
