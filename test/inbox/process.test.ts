import { type ClaimedEvent, processEvent } from '@mailroom/inbox';
import { done, type HandlerOutcome, ignored, reject, snooze } from '@mailroom/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { waitFor } from '../support/wait-for.ts';

describe('process', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('commits the effect and the record of it together', async () => {
    await store(db.database, 'evt_1');
    const claimed = await claimOne(db.database);
    const result = await processEvent(
      claimed,
      async (tx) => {
        await bookEffect(tx, 'evt_1');
        return done;
      },
      processOptions(db.database),
    );
    expect(result).toEqual({ outcome: 'processed' });
    const row = await inboxRow(db.database, 'evt_1');
    expect(row).toMatchObject({ state: 'processed', attempts: 1, lease_token: null, leased_by: null });
    expect(row.processed_at).toBeInstanceOf(Date);
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('counts a worker failure, reschedules, and succeeds later', async () => {
    await store(db.database, 'evt_1');
    const result = await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await bookEffect(tx, 'evt_1');
        throw new Error('the ledger is closed');
      },
      processOptions(db.database, { retry: { backoff: { baseMs: 60_000, capMs: 60_000 }, maxInfraRetries: 20 } }),
    );
    expect(result.outcome).toBe('retried');
    const waiting = await inboxRow(db.database, 'evt_1');
    expect(waiting).toMatchObject({
      state: 'pending',
      attempts: 1,
      last_error: 'the ledger is closed',
      lease_token: null,
    });
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([
      { attempt: 1, worker: 'w1', release: 'test', class: 'handler', message: 'the ledger is closed' },
    ]);
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);

    await db.database.pool.query('update webhook_inbox set available_at = now()');
    await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await bookEffect(tx, 'evt_1');
        return done;
      },
      processOptions(db.database),
    );
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'processed', attempts: 2, total_attempts: 2 });
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('never lets a stale worker reschedule a row that somebody else holds', async () => {
    const { result, second } = await takeOverWhileAtWork(() => {
      throw new Error('too late');
    });
    expect(result).toEqual({ outcome: 'stale' });
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject(heldBy(second));
  });

  it('never lets a stale worker complete a row that somebody else holds', async () => {
    const { result, second } = await takeOverWhileAtWork(() => done);
    expect(result).toEqual({ outcome: 'stale' });
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject(heldBy(second));
  });

  it('makes a second processor wait on the lock, see it done, and leave', async () => {
    await store(db.database, 'evt_1');
    const claimed = await claimOne(db.database);
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const first = processEvent(
      claimed,
      async (tx) => {
        await bookEffect(tx, 'evt_1');
        entered.resolve();
        await release.promise;
        return done;
      },
      processOptions(db.database),
    );
    await entered.promise;
    const second = processEvent(claimed, effect('evt_1'), processOptions(db.database));
    await waitFor('the second processor to wait for the row lock', async () => {
      const { rows } = await db.database.pool.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length === 1;
    });
    release.resolve();
    expect(await first).toEqual({ outcome: 'processed' });
    expect(await second).toEqual({ outcome: 'stale' });
    expect(await effectsOf(db.database, 'evt_1')).toBe(1);
  });

  it('records a statement timeout as such, and the event stays pending', async () => {
    await store(db.database, 'evt_1');
    const result = await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await sql`select pg_sleep(30)`.execute(tx);
        return done;
      },
      processOptions(db.database, {
        limits: { statementTimeoutMs: 100, idleInTransactionTimeoutMs: 10_000, transactionTimeoutMs: 20_000 },
      }),
    );
    expect(result.outcome).toBe('retried');
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([{ class: 'statement_timeout', sqlstate: '57014' }]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending', attempts: 1, infra_retries: 0 });
  });

  it('charges a handler that leaves its transaction idle too long to the attempt, by name', async () => {
    await store(db.database, 'evt_1');
    await processEvent(
      await claimOne(db.database),
      async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await waitFor('the server to end the idle session', async () => {
          const alive = await db.database.pool.query('select 1 from pg_stat_activity where pid = $1', [rows[0]?.pid]);
          return alive.rowCount === 0;
        });
        await bookEffect(tx, 'evt_1');
        return done;
      },
      processOptions(db.database, {
        limits: { statementTimeoutMs: 10_000, idleInTransactionTimeoutMs: 100, transactionTimeoutMs: 20_000 },
      }),
    );
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([{ class: 'transaction_timeout', sqlstate: '25P03' }]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 1, infra_retries: 0 });
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);
  });

  it('gives the attempt back for a deadlock and a lost connection, but not for ever', async () => {
    await store(db.database, 'evt_1');
    const options = processOptions(db.database, { retry: { backoff: { baseMs: 0, capMs: 0 }, maxInfraRetries: 2 } });
    const cut = async (tx: Parameters<Parameters<typeof processEvent>[1]>[0]) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      return done;
    };
    for (const infraRetries of [1, 2]) {
      await db.database.pool.query('update webhook_inbox set available_at = now()');
      expect((await processEvent(await claimOne(db.database), cut, options)).outcome).toBe('retried');
      expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 0, infra_retries: infraRetries });
    }
    await db.database.pool.query('update webhook_inbox set available_at = now()');
    expect((await processEvent(await claimOne(db.database), cut, options)).outcome).toBe('exhausted');
    const row = await inboxRow(db.database, 'evt_1');
    expect(row).toMatchObject({ state: 'exhausted', attempts: 1, total_attempts: 3 });
    expect(row.state_reason).toContain('infrastructure');
  });

  it('keeps reasons: ignored is finished, rejected is buried, snoozed costs no attempt; only ignored keeps its writes', async () => {
    const outcomes = {
      ignored: ignored('not ours'),
      rejected: reject('bad_amount', 'negative'),
      snoozed: snooze(60_000, 'early'),
    };
    for (const [id, outcome] of Object.entries(outcomes)) {
      await store(db.database, id);
      const result = await processEvent(
        await claimOne(db.database),
        async (tx) => {
          await bookEffect(tx, id);
          return outcome;
        },
        processOptions(db.database),
      );
      expect(result.outcome).toBe(id);
    }
    expect(await inboxRow(db.database, 'ignored')).toMatchObject({ state: 'ignored', state_reason: 'not ours' });
    expect(await inboxRow(db.database, 'rejected')).toMatchObject({
      state: 'rejected',
      state_reason: 'bad_amount: negative',
    });
    expect(await failuresOf(db.database, 'rejected')).toMatchObject([{ class: 'rejected' }]);
    expect(await inboxRow(db.database, 'snoozed')).toMatchObject({ state: 'pending', attempts: 0, total_attempts: 1 });
    expect(await claim(db.database, { limit: 10, worker: 'w', leaseMs: 1_000 })).toEqual([]);
    expect([await effectsOf(db.database, 'ignored'), await effectsOf(db.database, 'rejected')]).toEqual([1, 0]);
  });

  it('refuses statements of a handler that has returned', async () => {
    await store(db.database, 'evt_1');
    let late: (() => Promise<unknown>) | undefined;
    await processEvent(
      await claimOne(db.database),
      async (tx) => {
        late = () => bookEffect(tx, 'evt_1');
        return done;
      },
      processOptions(db.database),
    );
    await expect(late?.()).rejects.toMatchObject({ code: 'transaction_revoked' });
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);
  });

  it('does not complete an event whose handler swallowed a database error', async () => {
    await store(db.database, 'evt_1');
    const result = await processEvent(
      await claimOne(db.database),
      async (tx) => {
        await bookEffect(tx, 'evt_1');
        await sql`select 1 / 0`.execute(tx).catch(() => undefined);
        return done;
      },
      processOptions(db.database),
    );
    expect(result.outcome).toBe('retried');
    expect(await effectsOf(db.database, 'evt_1')).toBe(0);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending' });
  });

  /** Only a handler that ends its own transaction loses the row's lock; the lease token must then keep its worker from writing. */
  async function takeOverWhileAtWork(end: () => HandlerOutcome) {
    await store(db.database, 'evt_1');
    const first = await claimOne(db.database, 'w1');
    let second: ClaimedEvent | undefined;
    const result = await processEvent(
      first,
      async (tx) => {
        await sql`rollback`.execute(tx);
        await expireLeases(db.database);
        second = await claimOne(db.database, 'w2');
        return end();
      },
      processOptions(db.database),
    );
    return { result, second };
  }

  function heldBy(second: ClaimedEvent | undefined) {
    return { state: 'pending', leased_by: 'w2', lease_token: second?.leaseToken };
  }

  const effect =
    (eventId: string): Parameters<typeof processEvent>[1] =>
    async (tx) => {
      await bookEffect(tx, eventId);
      return done;
    };
});
