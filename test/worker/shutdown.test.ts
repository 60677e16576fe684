import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox, expireLeases, failuresOf, inboxRow, testReceiver } from '../support/inbox-fixtures.ts';
import { waitForLockWaiters } from '../support/lock-waiters.ts';
import { waitFor } from '../support/wait-for.ts';
import { paidEvent } from './paid-event.ts';
import { startWorkerProcess } from './worker-process.ts';

describe('a worker process that is told to stop', () => {
  let db: TestDatabase;
  let holder: pg.PoolClient | undefined;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptyInbox(db.database);
    for (const table of ['ledger_entries', 'invoices', 'anomalies'])
      await db.database.pool.query(`delete from ${table}`);
  });
  afterEach(letHandlersGoOn);
  afterAll(() => db.drop());

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'and has nothing to do exits with 0 on %s and leaves no session behind',
    async (signal) => {
      const worker = await startWorkerProcess(db.url);
      worker.kill(signal);
      expect(await worker.exited).toEqual({ code: 0, signal: null });
      await noSessionsLeft();
    },
  );

  it('finishes what it has begun, gives back what it has not at no cost to its attempts, and exits with 0', async () => {
    await holdHandlers();
    await storePaid(6);
    const worker = await startWorkerProcess(db.url, { ...patient, ...twoAtATime });
    await waitForLockWaiters(db.database, 2);
    await waitFor('four rows to be claimed', async () => (await claimedRows()) === 4);

    worker.kill('SIGTERM');
    await waitFor('what was not begun to be given back', async () => (await claimedRows()) === 2);
    await worker.waitForLine('"claims_returned"');
    await letHandlersGoOn();
    expect(await worker.exited).toEqual({ code: 0, signal: null });

    const { rows } = await db.database.pool.query(
      'select state, attempts, lease_token is null as free from webhook_inbox order by state, attempts',
    );
    const returned = { state: 'pending', attempts: 0, free: true };
    const finished = { state: 'processed', attempts: 1, free: true };
    expect(rows).toEqual([returned, returned, returned, returned, finished, finished]);
    expect(await bookedEvents()).toBe(2);
    await noSessionsLeft();

    const heir = await startWorkerProcess(db.url);
    await waitFor('the heir to process what was given back', async () => (await processedEvents()) === 6);
    expect(await heir.stop()).toEqual({ code: 0, signal: null });
    expect(await bookedEvents()).toBe(6);
  });

  it('and cannot finish by its deadline exits with 1, and another worker processes the event later, once', async () => {
    await holdHandlers();
    await storePaid(1);
    const worker = await startWorkerProcess(db.url, { ...patient, SHUTDOWN_DEADLINE_MS: '300' });
    await waitForLockWaiters(db.database, 1);
    worker.kill('SIGTERM');
    expect(await worker.exited).toEqual({ code: 1, signal: null });
    expect(worker.lines.join('\n')).toContain('"shutdown_deadline_passed"');

    await letHandlersGoOn();
    await noSessionsLeft();
    expect([await processedEvents(), await bookedEvents()]).toEqual([0, 0]);
    await expireLeases(db.database);
    const heir = await startWorkerProcess(db.url);
    await waitFor('the heir to process the event', async () => (await processedEvents()) === 1);
    expect(await heir.stop()).toEqual({ code: 0, signal: null });
    expect(await inboxRow(db.database, 'evt_0')).toMatchObject({ attempts: 2 });
    expect(await failuresOf(db.database, 'evt_0')).toMatchObject([{ class: 'worker_died' }]);
    expect(await bookedEvents()).toBe(1);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('exits at once at a second signal, %s, with %d, in the middle of a handler', async (signal, code) => {
    await holdHandlers();
    await storePaid(1);
    const worker = await startWorkerProcess(db.url, patient);
    await waitForLockWaiters(db.database, 1);
    worker.kill('SIGTERM');
    await worker.waitForLine('"shutdown_started"');
    // Signals that follow the first within a moment are the same press; this one is repeated until it counts.
    const pressing = setInterval(() => worker.kill(signal), 100);
    expect(await worker.exited).toEqual({ code, signal: null });
    clearInterval(pressing);
    await letHandlersGoOn();
    await noSessionsLeft();
    expect([await processedEvents(), await bookedEvents()]).toEqual([0, 0]);
  });

  it('by one Ctrl-C that arrives twice, from the terminal and from npm, still finishes and exits with 0', async () => {
    await holdHandlers();
    await storePaid(1);
    const worker = await startWorkerProcess(db.url, patient);
    await waitForLockWaiters(db.database, 1);
    worker.killGroup('SIGINT');
    worker.kill('SIGINT');
    await worker.waitForLine('"shutdown_started"');
    await letHandlersGoOn();
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    expect([await processedEvents(), await bookedEvents()]).toEqual([1, 1]);
  });

  /** Every handler waits in the middle of its work: the invoice is written, the ledger is locked. */
  async function holdHandlers(): Promise<void> {
    holder = await db.database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table ledger_entries in exclusive mode');
  }

  async function letHandlersGoOn(): Promise<void> {
    await holder?.query('rollback');
    holder?.release();
    holder = undefined;
  }

  async function storePaid(count: number): Promise<void> {
    const receiver = testReceiver(db.database);
    const events = Array.from({ length: count }, (_, n) => paidEvent(`evt_${n}`, `in_${n}`));
    await Promise.all(events.map((event) => receiver.receive(event)));
    await receiver.close();
  }

  async function noSessionsLeft(): Promise<void> {
    await waitFor('the sessions of the worker to end', async () => {
      const { rows } = await db.database.pool.query(
        "select from pg_stat_activity where starts_with(application_name, 'mailroom-worker') and datname = current_database()",
      );
      return rows.length === 0;
    });
  }

  async function claimedRows(): Promise<number> {
    return await countOf('webhook_inbox where lease_token is not null');
  }

  async function processedEvents(): Promise<number> {
    return await countOf("webhook_inbox where state = 'processed'");
  }

  /** An event that was booked twice would count twice, in the outbox. */
  async function bookedEvents(): Promise<number> {
    return await countOf('outbox');
  }

  async function countOf(from: string): Promise<number> {
    const { rows } = await db.database.pool.query<{ count: number }>(`select count(*)::int as count from ${from}`);
    return rows[0]?.count ?? 0;
  }
});

/** Two handlers run, each with one event, and two more events wait for their turn. */
const twoAtATime = { WORKER_SLOTS: '2', WORKER_BATCH_ROWS: '1', WORKER_MAX_HELD_ROWS: '4' };

/** The tests hold handlers up for as long as it takes; no timeout must end that for them. */
const patient = {
  SHUTDOWN_DEADLINE_MS: '60000',
  WORKER_STATEMENT_TIMEOUT_MS: '60000',
  WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS: '60000',
  WORKER_TRANSACTION_TIMEOUT_MS: '60000',
  WORKER_LEASE_MS: '120000',
};
