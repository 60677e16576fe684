import type { Role } from './setting.ts';
import type { SettingValues } from './settings.ts';

/** Something that two settings must satisfy together. */
export interface Rule {
  /** Held for these roles only. */
  readonly roles: readonly Role[];
  /** The variables it speaks of; the first is the one to name as wrong. */
  readonly names: readonly [string, ...string[]];
  /** What must hold, in the names of the variables. */
  readonly statement: string;
  /** What would go wrong otherwise. */
  readonly why: string;
  readonly holds: (values: SettingValues) => boolean;
}

/** The table of rules between settings: validation and docs/configuration.md derive from it. */
export const rules: readonly Rule[] = [
  {
    roles: ['ingest', 'worker', 'ops', 'local'],
    names: ['BODY_RETENTION_DAYS', 'LEDGER_RETENTION_DAYS'],
    statement: 'BODY_RETENTION_DAYS <= LEDGER_RETENTION_DAYS',
    why: 'a body is of no use without its event',
    holds: (v) => v['retention.bodyDays'] <= v['retention.ledgerDays'],
  },
  {
    roles: ['worker', 'local'],
    names: ['WORKER_TRANSACTION_TIMEOUT_MS', 'WORKER_LEASE_MS'],
    statement: 'WORKER_TRANSACTION_TIMEOUT_MS * 2 <= WORKER_LEASE_MS',
    why: 'a transaction that begins with half of its lease left must end before another worker may claim its event',
    holds: (v) => v['worker.transactionTimeoutMs'] * 2 <= v['worker.leaseMs'],
  },
  {
    roles: ['worker', 'local'],
    names: ['WORKER_STATEMENT_TIMEOUT_MS', 'WORKER_TRANSACTION_TIMEOUT_MS'],
    statement: 'WORKER_STATEMENT_TIMEOUT_MS <= WORKER_TRANSACTION_TIMEOUT_MS',
    why: 'a statement cannot outlive its transaction; before PostgreSQL 17 the statement timeout is the bound that is enforced',
    holds: (v) => v['worker.statementTimeoutMs'] <= v['worker.transactionTimeoutMs'],
  },
  {
    roles: ['worker', 'local'],
    names: ['WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS', 'WORKER_TRANSACTION_TIMEOUT_MS'],
    statement: 'WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS <= WORKER_TRANSACTION_TIMEOUT_MS',
    why: 'a pause cannot outlive its transaction',
    holds: (v) => v['worker.idleInTransactionTimeoutMs'] <= v['worker.transactionTimeoutMs'],
  },
  {
    roles: ['worker', 'local'],
    names: ['WORKER_POLL_MIN_MS', 'WORKER_POLL_MAX_MS'],
    statement: 'WORKER_POLL_MIN_MS <= WORKER_POLL_MAX_MS',
    why: 'the interval grows from the first to the second',
    holds: (v) => v['worker.pollMinMs'] <= v['worker.pollMaxMs'],
  },
  {
    roles: ['worker', 'local'],
    names: ['WORKER_BACKOFF_BASE_MS', 'WORKER_BACKOFF_CAP_MS'],
    statement: 'WORKER_BACKOFF_BASE_MS <= WORKER_BACKOFF_CAP_MS',
    why: 'the delay grows from the first to the second',
    holds: (v) => v['worker.backoffBaseMs'] <= v['worker.backoffCapMs'],
  },
  {
    roles: ['worker', 'local'],
    names: ['OUTBOX_SEND_TIMEOUT_MS', 'OUTBOX_LEASE_MS'],
    statement: 'OUTBOX_SEND_TIMEOUT_MS * 2 <= OUTBOX_LEASE_MS',
    why: 'a message must not still be on its way when another worker may claim it',
    holds: (v) => v['outbox.sendTimeoutMs'] * 2 <= v['outbox.leaseMs'],
  },
  {
    roles: ['ingest', 'local'],
    names: ['INGEST_LOCK_TIMEOUT_MS', 'INGEST_ANSWER_DEADLINE_MS'],
    statement: 'INGEST_LOCK_TIMEOUT_MS * 2 <= INGEST_ANSWER_DEADLINE_MS',
    why: 'a delivery waits first in its group and then alone, and must still be answered in time',
    holds: (v) => v['ingest.lockTimeoutMs'] * 2 <= v['ingest.answerDeadlineMs'],
  },
  {
    roles: ['ingest', 'local'],
    names: ['DATABASE_CONNECT_TIMEOUT_MS', 'INGEST_ANSWER_DEADLINE_MS'],
    statement: 'DATABASE_CONNECT_TIMEOUT_MS <= INGEST_ANSWER_DEADLINE_MS',
    why: 'a database that is down must be noticed before the delivery is answered',
    holds: (v) => v['database.connectTimeoutMs'] <= v['ingest.answerDeadlineMs'],
  },
  {
    roles: ['ingest', 'local'],
    names: ['DATABASE_MAX_CONNECTIONS', 'INGEST_WRITES_IN_FLIGHT'],
    statement: 'DATABASE_MAX_CONNECTIONS >= INGEST_WRITES_IN_FLIGHT + 1',
    why: 'readiness must not wait behind the writes',
    holds: (v) => v['database.maxConnections'] >= v['ingest.writesInFlight'] + 1,
  },
  {
    roles: ['ingest', 'local'],
    names: ['INGEST_MAX_ROWS_PER_WRITE', 'INGEST_MAX_WAITING_ROWS'],
    statement: 'INGEST_MAX_ROWS_PER_WRITE <= INGEST_MAX_WAITING_ROWS',
    why: 'a group forms out of what waits',
    holds: (v) => v['ingest.maxRowsPerWrite'] <= v['ingest.maxWaitingRows'],
  },
  {
    roles: ['ingest', 'local'],
    names: ['INGEST_MAX_BYTES_PER_WRITE', 'INGEST_MAX_WAITING_BYTES'],
    statement: 'INGEST_MAX_BYTES_PER_WRITE <= INGEST_MAX_WAITING_BYTES',
    why: 'a group forms out of what waits',
    holds: (v) => v['ingest.maxBytesPerWrite'] <= v['ingest.maxWaitingBytes'],
  },
  {
    roles: ['ingest', 'local'],
    names: ['ADMIN_PORT', 'PORT'],
    statement: 'ADMIN_PORT differs from PORT (unless 0)',
    why: 'metrics are not for the public',
    holds: (v) => v.adminPort === 0 || v.adminPort !== v.port,
  },
];
