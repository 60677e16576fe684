import { readFileSync } from 'node:fs';
import { migrate, partitionLedger } from '@mailroom/db';
import { processEvent, prune, retryEvents } from '@mailroom/inbox';
import { done, silentLogger } from '@mailroom/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { retention, seedOldEvent } from '../inbox/old-rows.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  bookEffect,
  claim,
  claimOne,
  delivery,
  effectsOf,
  inboxRow,
  processOptions,
  store,
  testReceiver,
} from '../support/inbox-fixtures.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

const partitions = 4;
const deadlineMs = 30_000;

describe('a ledger that is split by the hash of its key', () => {
  let db: TestDatabase;
  let copied: number;
  beforeAll(async () => {
    db = await createTestDatabase();
    await db.database.pool.query(readFileSync(new URL('../../infra/postgres/roles.sql', import.meta.url), 'utf8'));
    await store(db.database, 'before_1', 'before_2', 'before_3');
    copied = await partitionLedger({ url: db.url, partitions, deadlineMs });
  });
  afterAll(() => db.drop());

  const ask = async (text: string) => (await db.database.pool.query<Record<string, unknown>>(text)).rows;

  it('has every row, index, check, setting and privilege of the one that was whole', async () => {
    expect(copied).toBe(3);
    expect(await ask('select event_id from webhook_inbox order by event_id')).toHaveLength(3);
    const plain = await createTestDatabase();
    const facts = `
      select 'index ' || replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as fact from pg_index where indrelid = 'webhook_inbox'::regclass
      union all select 'check ' || conname || pg_get_constraintdef(oid) from pg_constraint
        where conrelid = 'webhook_inbox'::regclass and contype = 'c'
      union all select 'column ' || attname || ' ' || atttypid::regtype || attnotnull from pg_attribute
        where attrelid = 'webhook_inbox'::regclass and attnum > 0
      union all select 'view ' || pg_get_viewdef('webhook_events'::regclass)
      order by 1`;
    const { rows } = await plain.database.pool.query(facts);
    await plain.drop();
    expect(rows.length).toBeGreaterThan(50);
    expect(await ask(facts)).toEqual(rows);
    expect(
      await ask(
        `select distinct reloptions @> array['fillfactor=50'] as half from pg_class where relname ~ '^webhook_inbox_[0-9]+$'`,
      ),
    ).toEqual([{ half: true }]);
    for (const [role, table, privilege] of [
      ['mailroom_ingest', 'webhook_inbox', 'insert'],
      ['mailroom_worker', 'webhook_inbox', 'update'],
      ['mailroom_operator', 'webhook_events', 'select'],
    ]) {
      expect(await ask(`select has_table_privilege('${role}', '${table}', '${privilege}') as may`)).toEqual([
        { may: true },
      ]);
    }
    expect(
      await ask(`select has_column_privilege('mailroom_pruner', 'webhook_inbox', 'event_id', 'update') as may`),
    ).toEqual([{ may: true }]);
  });

  it('knows an event again, from before the split and from eight receivers at once', async () => {
    const receivers = Array.from({ length: 8 }, () => testReceiver(db.open({ maxConnections: 2 })));
    const receipts = await Promise.all(receivers.map((receiver) => receiver.receive(delivery('evt_1'))));
    expect(receipts.reduce((sum, { stored }) => sum + stored, 0)).toBe(1);
    const again = receivers.map((receiver) => receiver.receive(delivery('before_1')));
    for (const receipt of await Promise.all(again)) expect(receipt).toMatchObject({ stored: 0, duplicates: 1 });
    await Promise.all(receivers.map((receiver) => receiver.close()));
    expect(await ask(`select event_id from webhook_inbox where event_id in ('evt_1', 'before_1')`)).toHaveLength(2);
  });

  it('is claimed by no two at once, worked off, retried and pruned', async () => {
    await db.database.pool.query('delete from webhook_inbox');
    await store(db.database, ...Array.from({ length: 60 }, (_, n) => `many_${n}`));
    const claims = await Promise.all(
      ['w1', 'w2', 'w3'].map((worker) => claim(db.open({ maxConnections: 2 }), { limit: 60, worker, leaseMs: 60_000 })),
    );
    const ids = claims.flat().map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
    await db.database.pool.query(
      'update webhook_inbox set lease_token = null, leased_by = null, leased_until = null, attempts = 0',
    );

    const worker = startWorker(workerOptions(db.open({ maxConnections: 8 })));
    const left = async () => (await ask(`select from webhook_inbox where state <> 'processed' limit 1`)).length;
    await waitFor('all to be processed', async () => (await left()) === 0);
    await worker.drain();
    expect(await ask(`select from outbox where topic = 'effect'`)).toHaveLength(60);

    await store(db.database, 'fails');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await processEvent(
        await claimOne(db.database),
        () => Promise.reject(new Error('no')),
        processOptions(db.database),
      );
    }
    expect(await inboxRow(db.database, 'fails')).toMatchObject({ state: 'exhausted' });
    const key = { provider: 'stripe', endpoint: 'billing', eventId: 'fails' };
    expect(await retryEvents(db.database, { keys: [key], actor: 'alice', reason: 'mended' })).toMatchObject([
      { outcome: 'retried' },
    ]);
    const work = async (tx: Parameters<typeof bookEffect>[0]) => {
      await bookEffect(tx, 'fails');
      return done;
    };
    expect(await processEvent(await claimOne(db.database), work, processOptions(db.database))).toEqual({
      outcome: 'processed',
    });
    expect(await effectsOf(db.database, 'fails')).toBe(1);

    for (let n = 0; n < 20; n += 1) await seedOldEvent(db.database, { eventId: `old_${n}`, days: 100 });
    await prune(db.database, { retention, redeliveryMsOf: () => null });
    expect(await ask(`select from webhook_inbox where event_id like 'old%'`)).toEqual([]);
    expect(await ask('select from webhook_inbox')).toHaveLength(61);
  });

  it('is left alone by the migrator, and split only once', async () => {
    expect(await migrate({ url: db.url, deadlineMs, log: silentLogger })).toEqual({ applied: [] });
    await expect(partitionLedger({ url: db.url, partitions, deadlineMs })).rejects.toMatchObject({
      code: 'ledger_partitioned',
    });
  });

  it('split by time it would refuse the key, or take the same event twice', async () => {
    const byTime = 'create table by_time (like webhook_inbox including defaults) partition by range (received_at)';
    const { pool } = db.database;
    await pool.query(byTime);
    await expect(
      pool.query('alter table by_time add primary key (provider, endpoint, event_id)'),
    ).rejects.toMatchObject({
      code: '0A000',
    });
    await pool.query('alter table by_time add primary key (provider, endpoint, event_id, received_at)');
    await pool.query('create table by_time_all partition of by_time default');
    const insert = (at: string) =>
      pool.query(
        `insert into by_time (provider, endpoint, event_id, delivery_id, event_type, max_attempts, received_at)
         values ('stripe', 'billing', $1, gen_random_uuid(), 'test.event', 3, $2) on conflict do nothing`,
        ['evt_1', at],
      );
    await insert('2026-11-29 10:00Z');
    await insert('2026-11-30 10:00Z');
    expect(await ask('select event_id from by_time')).toEqual([{ event_id: 'evt_1' }, { event_id: 'evt_1' }]);
  });
});
