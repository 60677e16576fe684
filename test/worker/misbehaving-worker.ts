// A real worker process whose handlers do the worst that a handler can do.
import { openDatabase } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { watchEventLoop } from '@mailroom/service';
import { sql } from 'kysely';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { bookEffect } from '../support/inbox-fixtures.ts';
import { effectHandler, workerOptions } from '../support/test-worker.ts';

const [url = '', name = 'w1', leaseMs = '2000'] = process.argv.slice(2);

const handlers: readonly Handler[] = [
  effectHandler,
  misbehaving('test.exit', () => process.exit(3)),
  misbehaving('test.memory', () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 1_000_000 }, () => kept.length));
  }),
  // Longer than the lease, so that others take it for dead, and longer than the test.
  misbehaving('test.block', () => {
    for (;;) Math.random();
  }),
  {
    ...effectHandler,
    eventType: 'test.backend',
    handle: async ({ tx, event }) => {
      await bookEffect(tx, event.eventId);
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      throw new Error('the backend should be gone');
    },
  },
  {
    ...effectHandler,
    eventType: 'test.deadlock',
    // What PostgreSQL raises for a deadlock, every time.
    handle: async ({ tx }) => {
      await sql`do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`.execute(tx);
      throw new Error('the statement should have failed');
    },
  },
];

watchEventLoop(Number(leaseMs));
const connection = { url, applicationName: name, connectTimeoutMs: 5_000, queryTimeoutMs: 0, onIdleError: () => {} };
const limits = { statementTimeoutMs: 1_000, idleInTransactionTimeoutMs: 1_000, transactionTimeoutMs: 1_000 };
const worker = startWorker(
  workerOptions(openDatabase({ ...connection, maxConnections: 4 }), {
    name,
    control: openDatabase({ ...connection, maxConnections: 2 }),
    handlers,
    leaseMs: Number(leaseMs),
    limits,
    retry: { backoff: { baseMs: 1, capMs: 50 }, maxInfraRetries: 3 },
  }),
);
process.on('SIGTERM', () => void worker.drain().then(() => process.exit(0)));
process.stdout.write('started\n');

function misbehaving(eventType: string, how: () => void): Handler {
  return {
    ...effectHandler,
    eventType,
    handle: async ({ tx, event }) => {
      await bookEffect(tx, event.eventId);
      how();
      throw new Error('it came back');
    },
  };
}
