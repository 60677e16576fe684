import { hostname } from 'node:os';
import type { Config } from '@mailroom/config';
import { checkLeasePolicy } from '@mailroom/inbox';
import type { WorkerSettings } from './worker-settings.ts';

/** The settings of one worker process. Throws `lease_too_short` where a transaction could outlive its lease. */
export function settingsFromConfig({ worker, release }: Config, pid: number): WorkerSettings {
  const { slots, leaseMs, pollMinMs, pollMaxMs, maxInfraRetries } = worker;
  const limits = {
    statementTimeoutMs: worker.statementTimeoutMs,
    idleInTransactionTimeoutMs: worker.idleInTransactionTimeoutMs,
    transactionTimeoutMs: worker.transactionTimeoutMs,
  };
  checkLeasePolicy(leaseMs, limits);
  return {
    name: `${hostname()}:${pid}`.slice(-255),
    release,
    slots,
    batchRows: worker.batchRows,
    batchMs: 50,
    minHeldRows: slots * 2,
    maxHeldRows: Math.max(slots * 2, worker.maxHeldRows),
    leaseMs,
    limits,
    retry: { backoff: { baseMs: worker.backoffBaseMs, capMs: worker.backoffCapMs }, maxInfraRetries },
    pollMinMs,
    pollMaxMs,
    sweepEveryMs: 5_000,
    pauseLookMs: 1_000,
    breaker: { minAttempts: 20, failureShare: 0.8, windowMs: 30_000, canaryAfterMs: 10_000 },
  };
}
