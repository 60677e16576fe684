import type { Database } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { done, silentLogger } from '@mailroom/kernel';
import type { WorkerOptions } from '../../apps/worker/src/worker.ts';
import { bookEffect } from './inbox-fixtures.ts';

/** Books one effect an event. */
export const effectHandler: Handler = {
  provider: 'stripe',
  eventType: 'test.event',
  handle: async ({ tx, event }) => {
    await bookEffect(tx, event.eventId);
    return done;
  },
};

/** A quick worker that retries at once and differs from a plain one only where told. */
export function workerOptions(database: Database, differing: Partial<WorkerOptions> = {}): WorkerOptions {
  return {
    name: 'w1',
    release: null,
    slots: 4,
    batchRows: 10,
    batchMs: 50,
    minHeldRows: 8,
    maxHeldRows: 100,
    leaseMs: 60_000,
    limits: { statementTimeoutMs: 10_000, idleInTransactionTimeoutMs: 30_000, transactionTimeoutMs: 30_000 },
    retry: { backoff: { baseMs: 0, capMs: 0 }, maxInfraRetries: 20 },
    pollMinMs: 5,
    pollMaxMs: 50,
    sweepEveryMs: 100,
    pauseLookMs: 50,
    breaker: { minAttempts: 1_000_000, failureShare: 1, windowMs: 60_000, canaryAfterMs: 1_000 },
    work: database,
    control: database,
    handlers: [effectHandler],
    log: silentLogger,
    observe: { claimed: () => {}, finished: () => {} },
    ...differing,
  };
}
