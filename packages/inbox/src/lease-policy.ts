import { CodedError } from '@mailroom/kernel';

/** Bounds of one processing transaction, milliseconds. */
export interface ProcessingLimits {
  readonly statementTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** Enforced by the server from PostgreSQL 17. */
  readonly transactionTimeoutMs: number;
}

/**
 * Refuses a lease that a transaction could outlive: a worker must never still be writing when somebody else may claim its row.
 * (The fence would stop it, but the work would be done twice.) Throws `lease_too_short`.
 */
export function checkLeasePolicy(leaseMs: number, limits: ProcessingLimits): void {
  const longest = Math.max(limits.statementTimeoutMs, limits.idleInTransactionTimeoutMs, limits.transactionTimeoutMs);
  if (leaseMs >= longest * 2) return;
  throw new CodedError(
    'lease_too_short',
    `the lease (${leaseMs} ms) must be at least twice the longest of statement, idle-in-transaction and transaction timeout (${longest} ms): ` +
      'it is renewed every third of its length only while a row waits, so a transaction may begin with two thirds left',
  );
}
