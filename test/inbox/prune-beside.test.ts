import { prune, pruneAlone } from '@mailroom/inbox';
import { silentLogger } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPruner } from '../../apps/worker/src/pruner.ts';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { delivery, emptyInbox, testReceiver } from '../support/inbox-fixtures.ts';
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';
import { retention, seedOldEvent } from './old-rows.ts';

describe('pruning beside everything else', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    await db.database.pool.query('delete from housekeeping');
  });
  afterAll(() => db.drop());

  const options = { retention, redeliveryMsOf: () => null };
  const chore = (holder: string) => ({ name: 'prune', holder, leaseMs: 60_000, everyMs: 3_600_000 });
  const count = async (table: string) => {
    const { rows } = await db.database.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
    return rows[0]?.n;
  };
  const deadlocks = async () => {
    await db.database.pool.query('select pg_stat_force_next_flush()');
    const { rows } = await db.database.pool.query<{ n: number }>(
      'select deadlocks::int as n from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.n;
  };

  it('never deadlocks with ingest, workers or other pruners, and takes nothing that is needed', async () => {
    const before = await deadlocks();
    for (let n = 0; n < 300; n += 1) await seedOldEvent(db.database, { eventId: `old_${n}`, days: 100 });
    for (let n = 0; n < 300; n += 1) await seedOldEvent(db.database, { eventId: `bare_${n}`, days: 40 });
    const receiver = testReceiver(db.database);
    const worker = startWorker(workerOptions(db.open({ maxConnections: 8 })));
    const redelivered = Array.from({ length: 300 }, (_, n) => receiver.receive(delivery(`bare_${299 - n}`)));
    const fresh = Array.from({ length: 300 }, (_, n) => receiver.receive(delivery(`new_${n}`)));
    await Promise.all([
      ...redelivered,
      ...fresh,
      prune(db.open({ maxConnections: 1 }), options),
      prune(db.open({ maxConnections: 1 }), options),
    ]);
    await receiver.close();
    await waitFor('the new events to be processed', async () => {
      const { rows } = await db.database.pool.query(`select from webhook_inbox where state = 'pending' limit 1`);
      return rows.length === 0;
    });
    await worker.drain();
    await prune(db.database, options);
    expect(await deadlocks()).toBe(before);
    const { rows } = await db.database.pool.query(
      `select split_part(event_id, '_', 1) as kind, count(*)::int as events, count(body)::int as bodies
       from webhook_events group by 1 order by 1`,
    );
    expect(rows).toMatchObject([
      { kind: 'bare', events: 300 },
      { kind: 'new', events: 300, bodies: 300 },
    ]);
    expect(await count('outbox')).toBe(300);
  });

  it('is done by one at a time, and not again before it is due', async () => {
    await seedOldEvent(db.database, { eventId: 'old', days: 100 });
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const first = pruneAlone(db.database, chore('w1'), {
      ...options,
      onBatch: () => {
        begun.resolve();
        return goOn.promise;
      },
    });
    await begun.promise;
    expect(await pruneAlone(db.database, chore('w2'), options)).toBeUndefined();
    goOn.resolve();
    expect(await first).toBeDefined();
    expect(await pruneAlone(db.database, chore('w2'), options)).toBeUndefined();
    await db.database.pool.query(`update housekeeping set finished_at = now() - interval '61 minutes'`);
    expect(await pruneAlone(db.database, chore('w2'), options)).toBeDefined();
  });

  it('is begun again by another when its process died or was told to stop', async () => {
    const stop = new AbortController();
    stop.abort();
    await pruneAlone(db.database, chore('stopped'), { ...options, signal: stop.signal });
    expect(await pruneAlone(db.database, chore('w2'), options)).toBeDefined();

    await db.database.pool.query(
      `update housekeeping set held_by = 'dead', held_until = now() - interval '1 ms', finished_at = null`,
    );
    expect(await pruneAlone(db.database, chore('w3'), options)).toBeDefined();
  });

  it('ends when its lease went to another meanwhile', async () => {
    await seedOldEvent(db.database, { eventId: 'old', days: 100 });
    const losing = pruneAlone(
      db.database,
      { ...chore('w1'), leaseMs: 1 },
      {
        ...options,
        onBatch: async () => {
          await waitFor('the lease to run out', async () => {
            const { rows } = await db.database.pool.query('select from housekeeping where held_until < now()');
            return rows.length === 1;
          });
        },
      },
    );
    await expect(losing).rejects.toMatchObject({ code: 'chore_lost' });
  });

  it('runs inside the worker, tells its metrics, and stops with it', async () => {
    await seedOldEvent(db.database, { eventId: 'old', days: 100 });
    const pruned: string[] = [];
    const pruner = startPruner({
      database: db.open({ maxConnections: 1 }),
      name: 'w1',
      retention,
      everyMs: 3_600_000,
      log: silentLogger,
      observe: { pruned: (table, rows) => void (rows > 0 && pruned.push(`${table} ${rows}`)) },
    });
    await waitFor('the pass to end', async () => {
      const { rows } = await db.database.pool.query('select from housekeeping where finished_at is not null');
      return rows.length === 1;
    });
    await pruner.stop();
    expect(pruned).toEqual(['webhook_delivery 1', 'webhook_inbox 1']);
    expect(await count('webhook_inbox')).toBe(0);
  });

  it.skipIf(!hasPgbouncer())('works through PgBouncer in transaction mode (skipped without pgbouncer)', async () => {
    for (let n = 0; n < 50; n += 1) await seedOldEvent(db.database, { eventId: `old_${n}`, days: 100 });
    const bouncer = await startPgbouncer(db.url, { serverConnections: 2 });
    const through = db.open({ url: bouncer.url, maxConnections: 1 });
    try {
      expect(await pruneAlone(through, chore('w1'), options)).toBeDefined();
    } finally {
      await through.close();
      await bouncer.stop();
    }
    expect(await count('webhook_inbox')).toBe(0);
    expect(await count('webhook_delivery')).toBe(0);
  });
});
