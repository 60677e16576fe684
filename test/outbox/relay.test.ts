import { inTransaction } from '@mailroom/db';
import { append, type OutgoingMessage, retryMessages, skipMessages } from '@mailroom/outbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  appendTo,
  claimMessages,
  expireClaims,
  notingSink,
  outboxRow,
  outboxStateCounts,
  testRelay,
  waitForSent,
} from '../support/outbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

describe('the relay', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    for (const table of ['outbox', 'operator_actions']) await db.database.pool.query(`delete from ${table}`);
  });
  afterAll(() => db.drop());

  it('gives a sink every message once and keeps what came of it', async () => {
    const source = { provider: 'stripe', endpoint: 'billing', eventId: 'evt_1' };
    const payload = { amount: 9_007_199_254_740_993n, text: 'ö' };
    const id = await inTransaction(db.database, (tx) =>
      append(tx, { topic: 'invoice.paid', aggregate: 'stripe:invoice:in_1', payload, source }),
    );
    const sink = notingSink(() => ({ outcome: 'sent', result: { kept: 'a\u0000b', big: 9_007_199_254_740_993n } }));
    const relay = testRelay(db.database, sink);
    await waitForSent(db.database);
    await relay.drain();
    expect(sink.given).toMatchObject([
      {
        id,
        topic: 'invoice.paid',
        aggregate: 'stripe:invoice:in_1',
        payload,
        payloadText: '{"text": "ö", "amount": 9007199254740993}',
        source,
        attempt: 1,
        fencingToken: '1',
      },
    ]);
    const row = await outboxRow(db.database, id);
    expect(row).toMatchObject({ state: 'published', attempts: 1, claimed_by: null, last_error: null });
    expect(row.published_at).not.toBeNull();
    expect(row.result).toMatchObject({ kept: 'a\ufffdb' });
  });

  it('keeps the order of each aggregate, however many relays run, and sends aggregates side by side', async () => {
    const aggregates = Array.from({ length: 600 }, (_, n) => `thing:${n % 20}`);
    await appendTo(db.database, ...aggregates);
    const order: OutgoingMessage[] = [];
    const inFlight = new Map<string, number>();
    let together = 0;
    const sink = () =>
      notingSink(async (message) => {
        inFlight.set(message.aggregate, (inFlight.get(message.aggregate) ?? 0) + 1);
        together = Math.max(together, inFlight.size);
        if (inFlight.get(message.aggregate) !== 1) throw new Error('two of an aggregate at once');
        await new Promise((resolve) => setImmediate(resolve));
        order.push(message);
        inFlight.delete(message.aggregate);
        return { outcome: 'sent' };
      });
    const relays = ['r1', 'r2', 'r3'].map((name) => testRelay(db.database, sink(), { name }));
    await waitForSent(db.database);
    await Promise.all(relays.map((relay) => relay.drain()));
    expect(order).toHaveLength(600);
    for (const aggregate of new Set(aggregates)) {
      const ids = order.filter((message) => message.aggregate === aggregate).map(({ id }) => BigInt(id));
      expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    }
    expect(together).toBeGreaterThan(1);
    expect(order.map(({ attempt }) => attempt)).toEqual(order.map(() => 1));
  });

  it('holds what is behind a stuck message and nothing else; skipping the stuck one lets the rest go', async () => {
    const ids = await appendTo(db.database, 'stuck', 'stuck', 'stuck', 'other', 'other');
    const sink = notingSink(({ id }) =>
      id === ids[0] ? { outcome: 'permanent', reason: 'the receiver says no' } : { outcome: 'sent' },
    );
    const relay = testRelay(db.database, sink);
    await waitFor('the other aggregate to leave and the rest to be held', async () => {
      const counts = await outboxStateCounts(db.database);
      return counts['published'] === 2 && counts['held'] === 2;
    });
    expect(await outboxRow(db.database, ids[0])).toMatchObject({
      state: 'needs_review',
      last_error: 'the receiver says no',
      attempts: 1,
    });
    const action = { ids: [ids[0] ?? '', ids[1] ?? '', '999999999'], actor: 'alice', reason: 'sent by hand' };
    expect(await retryMessages(db.database, { ...action, ids: [ids[1] ?? ''] })).toEqual([
      { id: ids[1], outcome: 'held' },
    ]);
    expect(await skipMessages(db.database, { ...action, ids: [ids[0] ?? '', '999999999'] })).toEqual([
      { id: ids[0], outcome: 'done' },
      { id: '999999999', outcome: 'not_found' },
    ]);
    await waitForSent(db.database);
    await relay.drain();
    expect(sink.given.filter(({ aggregate }) => aggregate === 'stuck').map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(await outboxStateCounts(db.database)).toEqual({ skipped: 1, published: 4 });
    const { rows } = await db.database.pool.query(
      "select actor, action, reason, selection, affected from operator_actions where action = 'outbox_skip'",
    );
    expect(rows).toEqual([
      {
        actor: 'alice',
        action: 'outbox_skip',
        reason: 'sent by hand',
        selection: { messages: [ids[0], '999999999'], done: [ids[0]] },
        affected: '1',
      },
    ]);
  });

  it('tries a message again until its attempts are used up, then leaves it to a person, whose retry begins anew', async () => {
    const ids = await appendTo(db.database, 'a', 'a');
    let failing = true;
    const sink = notingSink(() =>
      failing ? { outcome: 'transient', reason: 'the receiver is down' } : { outcome: 'sent' },
    );
    const relay = testRelay(db.database, sink, { retry: { backoff: { baseMs: 0, capMs: 0 }, maxAttempts: 3 } });
    await waitFor('the attempts to be used up', async () => {
      return (await outboxRow(db.database, ids[0])).state === 'needs_review';
    });
    expect(sink.given.map(({ id, attempt, fencingToken }) => [id, attempt, fencingToken])).toEqual([
      [ids[0], 1, '1'],
      [ids[0], 2, '2'],
      [ids[0], 3, '3'],
    ]);
    expect((await outboxRow(db.database, ids[0])).last_error).toBe('attempts used up: the receiver is down');
    failing = false;
    await retryMessages(db.database, { ids: [ids[0] ?? ''], actor: 'alice', reason: 'it is up again' });
    await waitForSent(db.database);
    await relay.drain();
    expect(sink.given.slice(3).map(({ id, attempt, fencingToken }) => [id, attempt, fencingToken])).toEqual([
      [ids[0], 1, '4'],
      [ids[1], 1, expect.any(String)],
    ]);
  });

  it('burns no attempt on a message that the sink postpones, and looks no sooner than it says', async () => {
    const [id] = await appendTo(db.database, 'a');
    const sink = notingSink(() => ({ outcome: 'postponed', reason: 'rate limit', delayMs: 3_600_000 }));
    const relay = testRelay(db.database, sink);
    await waitFor(
      'the message to be postponed',
      async () => (await outboxRow(db.database, id)).last_error === 'rate limit',
    );
    await relay.drain();
    const { rows } = await db.database.pool.query(
      "select state, attempts, available_at > now() + interval '59 minutes' as later from outbox",
    );
    expect(rows).toEqual([{ state: 'pending', attempts: 0, later: true }]);
    expect(sink.given).toHaveLength(1);
  });

  it('keeps a message whose topic no sink takes, sends what is behind it, and sends it once a sink takes it', async () => {
    const ids = await inTransaction(db.database, async (tx) => [
      await append(tx, { topic: 'nobody.cares', aggregate: 'a', payload: 1 }),
      await append(tx, { topic: 'thing.happened', aggregate: 'a', payload: 2 }),
    ]);
    const sink = notingSink();
    const routes = [{ topics: ['thing.*'], sink }];
    const narrow = testRelay(db.database, sink, { routes });
    await waitForSent(db.database);
    await narrow.drain();
    expect(sink.given.map(({ id }) => id)).toEqual([ids[1]]);
    expect(await outboxRow(db.database, ids[0])).toMatchObject({
      state: 'unrouted',
      attempts: 0,
      last_error: 'no sink takes the topic nobody.cares',
    });
    const wide = testRelay(db.database, sink, { routes: [...routes, { topics: ['nobody.cares'], sink }] });
    await waitFor('it to be sent', async () => (await outboxRow(db.database, ids[0])).state === 'published');
    await wide.drain();
  });

  it('commits the rows of an effect together with its completion, and neither where they are refused', async () => {
    const ids = await appendTo(db.database, 'a', 'b');
    const sink = notingSink(({ id, attempt }) => ({
      outcome: 'sent',
      record: async (tx) => {
        await tx
          .insertInto('operator_actions')
          .values({ actor: 'sink', action: 'effect', reason: id, selection: '{}', affected: 1 })
          .execute();
        if (id === ids[1] && attempt === 1) throw new Error('refused at first');
      },
    }));
    const relay = testRelay(db.database, sink);
    await waitForSent(db.database);
    await relay.drain();
    const { rows } = await db.database.pool.query('select reason from operator_actions order by reason::bigint');
    expect(rows).toEqual(ids.map((reason) => ({ reason })));
    expect(sink.given).toHaveLength(3);
  });

  it('gives back what it has not begun when it is told to stop, and finishes what it has', async () => {
    const ids = await appendTo(db.database, 'a', 'a', 'b', 'c');
    const gate = Promise.withResolvers<void>();
    const sink = notingSink(async () => {
      await gate.promise;
      return { outcome: 'sent' };
    });
    const relay = testRelay(db.database, sink, { concurrency: 1 });
    await waitFor('the first to be sent', () => sink.given.length === 1);
    const drained = relay.drain();
    gate.resolve();
    await drained;
    expect(sink.given.map(({ id }) => id)).toEqual([ids[0]]);
    const { rows } = await db.database.pool.query(
      'select outbox_id, state, attempts, claimed_by from outbox order by outbox_id',
    );
    expect(rows).toEqual([
      { outbox_id: ids[0], state: 'published', attempts: 1, claimed_by: null },
      ...ids
        .slice(1)
        .map((id) => ({ outbox_id: id, state: expect.stringMatching(/pending|held/), attempts: 0, claimed_by: null })),
    ]);
  });

  it('leaves to a person what ends its relay at every attempt', async () => {
    const ids = await appendTo(db.database, 'a', 'a');
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await claimMessages(db.database, { limit: 1, maxAttempts: 2 })).toMatchObject([{ id: ids[0], attempt }]);
      await expireClaims(db.database);
    }
    expect(await claimMessages(db.database, { maxAttempts: 2 })).toEqual([]);
    const row = await outboxRow(db.database, ids[0]);
    expect(row).toMatchObject({ state: 'needs_review', claimed_by: null });
    expect(row.last_error).toMatch(/attempts used up: the lease of r1 ran out/);
    expect(await claimMessages(db.database)).toEqual([]);
    expect(await outboxRow(db.database, ids[1])).toMatchObject({ state: 'held', attempts: 0 });
  });

  it('ends an attempt that takes too long, even where the sink does not listen', async () => {
    const [id] = await appendTo(db.database, 'a');
    const deaf = notingSink(({ attempt }) => (attempt === 1 ? new Promise(() => {}) : { outcome: 'sent' }));
    const relay = testRelay(db.database, deaf, { sendTimeoutMs: 50 });
    await waitForSent(db.database);
    await relay.drain();
    expect(await outboxRow(db.database, id)).toMatchObject({ state: 'published', attempts: 2 });
  });
});
