import { giveBack, park, processEvent, rearm, renew, retryEvents } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claim,
  claimOne,
  effectsOf,
  emptyInbox,
  expireLeases,
  failuresOf,
  inboxRow,
  processOptions,
  store,
} from '../support/inbox-fixtures.ts';

describe('claims and leases', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('never lets two claimers share a row', async () => {
    await store(db.database, ...Array.from({ length: 60 }, (_, n) => `evt_${n}`));
    const batches = await Promise.all(
      Array.from({ length: 8 }, (_, n) => claim(db.database, { limit: 20, worker: `w${n}`, leaseMs: 60_000 })),
    );
    const keys = batches.flat().map(({ eventId }) => eventId);
    expect(keys).toHaveLength(60);
    expect(new Set(keys).size).toBe(60);
  });

  it('stops a failing event at its limit, in a state that only a whole reset leaves', async () => {
    await store(db.database, 'evt_1');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const result = await processEvent(await claimOne(db.database), failing('no'), processOptions(db.database));
      expect(result.outcome).toBe(attempt < 3 ? 'retried' : 'exhausted');
    }
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({
      state: 'exhausted',
      attempts: 3,
      state_reason: 'attempts used up: handler',
    });
    await expect(db.database.pool.query('update webhook_inbox set attempts = 0')).rejects.toMatchObject({
      constraint: 'exhausted_row_needs_mailroom_retry',
    });

    const key = { provider: 'stripe', endpoint: 'billing', eventId: 'evt_1' };
    const missing = { ...key, eventId: 'evt_none' };
    const answers = await retryEvents(db.database, { keys: [key, missing], actor: 'alice', reason: 'mended' });
    expect(answers).toEqual([
      { key: 'stripe/billing/evt_1', outcome: 'retried' },
      { key: 'stripe/billing/evt_none', outcome: 'not_found' },
    ]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending', attempts: 0, total_attempts: 3 });
    const actions = await db.database.kysely.selectFrom('operator_actions').selectAll().execute();
    expect(actions).toMatchObject([{ actor: 'alice', action: 'retry', reason: 'mended', affected: '1' }]);
    expect(await retryEvents(db.database, { keys: [key], actor: 'alice', reason: 'again' })).toMatchObject([
      { outcome: 'retried' },
    ]);
    await claimOne(db.database);
    expect(await retryEvents(db.database, { keys: [key], actor: 'alice', reason: 'once more' })).toMatchObject([
      { outcome: 'leased' },
    ]);
  });

  it('stops an event that was claimed three times and crashed each time, and says that the worker died', async () => {
    await store(db.database, 'evt_1');
    for (let crash = 1; crash <= 3; crash += 1) {
      expect((await claimOne(db.database, `w${crash}`)).attempts).toBe(crash);
      await expireLeases(db.database);
    }
    expect(await claim(db.database, { limit: 10, worker: 'w4', leaseMs: 60_000 })).toEqual([]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({
      state: 'exhausted',
      attempts: 3,
      state_reason: 'worker died while processing',
    });
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([
      { attempt: 1, worker: 'w1', class: 'worker_died' },
      { attempt: 2, worker: 'w2', class: 'worker_died' },
      { attempt: 3, worker: 'w3', class: 'worker_died' },
    ]);
  });

  it('lets another worker take over when a lease ran out, and the first does nothing when it returns', async () => {
    await store(db.database, 'evt_1');
    const first = await claimOne(db.database, 'w1');
    await expireLeases(db.database);
    const second = await claimOne(db.database, 'w2');
    await processEvent(second, effect('evt_1'), processOptions(db.database));

    let ran = false;
    const result = await processEvent(
      first,
      async () => {
        ran = true;
        return done;
      },
      processOptions(db.database),
    );
    expect(result).toEqual({ outcome: 'stale' });
    expect(ran).toBe(false);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed', attempts: 2 });
  });

  it('renews only what waits, and returns what was not begun with the attempt refunded', async () => {
    await store(db.database, 'a', 'b');
    const claimed = await claim(db.database, { limit: 2, worker: 'w1', leaseMs: 1_000 });
    const before = (await inboxRow(db.database, 'a')).leased_until;
    const holder = await db.database.pool.connect();
    await holder.query('begin');
    await holder.query("select 1 from webhook_inbox where event_id = 'b' for update");
    const renewed = await renew(db.database, claimed, 60_000);
    await holder.query('rollback');
    holder.release();
    expect(renewed.map(({ eventId }) => eventId)).toEqual(['a']);
    expect((await inboxRow(db.database, 'a')).leased_until?.getTime()).toBeGreaterThan(
      (before?.getTime() ?? 0) + 30_000,
    );

    expect(await giveBack(db.database, claimed)).toBe(2);
    expect(await inboxRow(db.database, 'a')).toMatchObject({ attempts: 0, total_attempts: 1, lease_token: null });
    const again = await claim(db.database, { limit: 2, worker: 'w2', leaseMs: 60_000 });
    expect(await giveBack(db.database, claimed)).toBe(0);
    expect(again.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  it('never lets a stale worker renew, return or park a row that somebody else holds', async () => {
    await store(db.database, 'evt_1');
    const first = await claimOne(db.database, 'w1');
    await expireLeases(db.database);
    const second = await claimOne(db.database, 'w2');
    const before = await inboxRow(db.database, 'evt_1');
    expect(await renew(db.database, [first], 1)).toEqual([]);
    expect(await giveBack(db.database, [first])).toBe(0);
    expect(await park(db.database, first)).toBe(false);
    expect(before).toMatchObject({ leased_by: 'w2', lease_token: second.leaseToken });
    expect(await inboxRow(db.database, 'evt_1')).toEqual(before);
  });

  it.each([-1, 1])(
    "leases and due times run by the database's clock: the worker's is off by %d hour",
    async (hours) => {
      await store(db.database, 'evt_1');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
      try {
        const first = await claimOne(db.database, 'w1', 60_000);
        expect(await secondsFromNow('leased_until')).toBeGreaterThan(0);
        expect(await secondsFromNow('leased_until')).toBeLessThanOrEqual(60);
        expect(await claim(db.database, { limit: 10, worker: 'w2', leaseMs: 60_000 })).toEqual([]);
        await renew(db.database, [first], 90_000);
        expect(await secondsFromNow('leased_until')).toBeLessThanOrEqual(90);
        await processEvent(first, failing('no'), {
          ...processOptions(db.database),
          retry: { backoff: { baseMs: 600_000, capMs: 600_000 }, maxInfraRetries: 1 },
        });
        expect(await secondsFromNow('available_at')).toBeLessThanOrEqual(600);
        await db.database.pool.query('update webhook_inbox set available_at = now()');
        await processEvent(await claimOne(db.database), effect('evt_1'), processOptions(db.database));
        expect(Math.abs(await secondsFromNow('processed_at'))).toBeLessThan(600);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('parks what nobody handles at no cost and re-arms it for a worker that does', async () => {
    await store(db.database, 'evt_1');
    expect(await park(db.database, await claimOne(db.database))).toBe(true);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'parked', attempts: 0 });
    expect(await rearm(db.database, [{ provider: 'stripe', eventType: 'other' }], 100)).toBe(0);
    expect(await rearm(db.database, [{ provider: 'stripe', eventType: 'test.event' }], 100)).toBe(1);
    const { rows } = await db.database.pool.query('select actor, action, selection, affected from operator_actions');
    expect(rows).toEqual([
      { actor: 'rule:rearm', action: 'rearm', selection: { types: ['stripe test.event'] }, affected: '1' },
    ]);
    expect((await claimOne(db.database)).attempts).toBe(1);
  });

  async function secondsFromNow(column: 'leased_until' | 'available_at' | 'processed_at'): Promise<number> {
    const { rows } = await db.database.pool.query<{ seconds: number }>(
      `select extract(epoch from ${column} - now())::float8 as seconds from webhook_inbox`,
    );
    return rows[0]?.seconds ?? Number.NaN;
  }

  const failing = (message: string) => () => Promise.reject(new Error(message));

  const effect =
    (eventId: string): Parameters<typeof processEvent>[1] =>
    async (tx) => {
      await bookEffect(tx, eventId);
      return done;
    };
});
