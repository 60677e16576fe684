import type { Database } from '@mailroom/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox, expireLeases, failuresOf, inboxRow, testReceiver } from '../support/inbox-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { paidEvent } from './paid-event.ts';
import { startWorkerProcess } from './worker-process.ts';

describe('worker processes', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    for (const table of ['ledger_entries', 'invoices', 'anomalies'])
      await db.database.pool.query(`delete from ${table}`);
  });
  afterAll(() => db.drop());

  it('process 50 receipts over 4 workers, each once, one attempt each', async () => {
    const workers = await Promise.all(Array.from({ length: 4 }, () => startWorkerProcess(db.url)));
    const receiver = testReceiver(db.database);
    const paid = Array.from({ length: 50 }, (_, n) => paidEvent(`evt_${n}`, `in_${n}`));
    await Promise.all(paid.map((event) => receiver.receive(event)));
    await receiver.close();
    await waitFor('all receipts to be processed', async () => (await states(db.database))['processed'] === 50);
    const exits = await Promise.all(workers.map((worker) => worker.stop()));
    expect(exits).toEqual(workers.map(() => ({ code: 0, signal: null })));

    const rows = await db.database.kysely.selectFrom('webhook_inbox').selectAll().execute();
    expect(rows.map(({ attempts, total_attempts }) => [attempts, total_attempts])).toEqual(rows.map(() => [1, 1]));
    const entries = await db.database.kysely.selectFrom('ledger_entries').selectAll().execute();
    expect(new Set(entries.map(({ invoice_id }) => invoice_id)).size).toBe(50);
    expect(entries).toHaveLength(50);
    expect(await db.database.kysely.selectFrom('outbox').selectAll().execute()).toHaveLength(50);
    const lines = workers.flatMap((worker) => worker.stdout.filter((line) => line.includes('"attempt_finished"')));
    expect(lines).toHaveLength(50);
  });

  it('leave no half effect when one is killed inside a handler, and the event is processed later', async () => {
    const receiver = testReceiver(db.database);
    await receiver.receive(paidEvent('evt_1', 'in_1'));
    await receiver.close();
    // The handler writes the invoice first and then waits here, in the middle of its work.
    const holder = await db.database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table ledger_entries in exclusive mode');
    const victim = await startWorkerProcess(db.url);
    await waitFor(
      'the handler to wait for the ledger',
      async () => (await waitingFor(db.database, 'ledger_entries')) === 1,
    );
    victim.kill('SIGKILL');
    await victim.exited;
    await waitFor('the server to notice the dead client', async () => {
      await holder.query('select 1');
      const { rows } = await db.database.pool.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'mailroom-worker' and datname = current_database()",
      );
      for (const { pid } of rows) await db.database.pool.query('select pg_terminate_backend($1)', [pid]);
      return rows.length === 0;
    });
    await holder.query('rollback');
    holder.release();
    expect(await db.database.kysely.selectFrom('invoices').selectAll().execute()).toEqual([]);
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ state: 'pending', attempts: 1 });

    await expireLeases(db.database);
    const heir = await startWorkerProcess(db.url);
    await waitFor(
      'the event to be processed',
      async () => (await inboxRow(db.database, 'evt_1')).state === 'processed',
    );
    await heir.stop();
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 2 });
    expect(await failuresOf(db.database, 'evt_1')).toMatchObject([{ class: 'worker_died' }]);
    expect(await db.database.kysely.selectFrom('ledger_entries').selectAll().execute()).toHaveLength(1);
    expect(await db.database.kysely.selectFrom('outbox').selectAll().execute()).toHaveLength(1);
  });

  it('book one payment once when it comes as two events at the same moment on four workers', async () => {
    const workers = await Promise.all(Array.from({ length: 4 }, () => startWorkerProcess(db.url)));
    const receiver = testReceiver(db.database);
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => [paidEvent(`evt_${n}`, `in_${n}`), paidEvent(`evt_${n}_twin`, `in_${n}`)])
        .flat()
        .map((event) => receiver.receive(event)),
    );
    await receiver.close();
    await waitFor('all to be processed', async () => (await states(db.database))['processed'] === 20);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(await db.database.kysely.selectFrom('ledger_entries').selectAll().execute()).toHaveLength(10);
    expect(await db.database.kysely.selectFrom('outbox').selectAll().execute()).toHaveLength(10);
  });

  it('refuse a lease that a transaction could outlive, saying what would be right', async () => {
    await expect(startWorkerProcess(db.url, { WORKER_LEASE_MS: '1000' })).rejects.toThrow(/WORKER_LEASE_MS|lease/);
  });
});

async function states(database: Database): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from webhook_inbox group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function waitingFor(database: Database, table: string): Promise<number> {
  const { rows } = await database.pool.query('select from pg_locks where not granted and relation = $1::regclass', [
    table,
  ]);
  return rows.length;
}
