/**
 * What an error from the database means for whoever called. The one place that knows SQLSTATEs.
 * Source: PostgreSQL manual, appendix A, "PostgreSQL Error Codes".
 */
export type DatabaseErrorClass =
  | 'serialization'
  | 'deadlock'
  | 'lock_timeout'
  | 'statement_timeout'
  | 'transaction_timeout'
  | 'unique'
  | 'constraint'
  | 'data'
  | 'connection'
  | 'shutdown'
  /** A pooler handed the connection around, so the server lacks a prepared statement or has it already. */
  | 'prepared_lost'
  | 'resources'
  | 'permission'
  | 'other';

/** The SQLSTATE of an error, or of the first of its causes that has one; null where the server never answered. */
export function sqlstateOf(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !networkCodes.has(code)) return code;
  }
  return null;
}

/** Classifies anything thrown by a query; null where it does not come from the database. */
export function classifyDatabaseError(error: unknown): DatabaseErrorClass | null {
  const state = sqlstateOf(error);
  if (state !== null) return bySqlstate.get(state) ?? byClass.get(state.slice(0, 2)) ?? 'other';
  return isConnectionError(error) ? 'connection' : null;
}

function isConnectionError(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && networkCodes.has(code)) return true;
    // node-postgres gives these no code: they are raised by the client when its socket ended or a wait ran out.
    if (clientMessages.has(at.message)) return true;
  }
  return false;
}

const bySqlstate = new Map<string, DatabaseErrorClass>([
  ['40001', 'serialization'],
  ['40P01', 'deadlock'],
  ['55P03', 'lock_timeout'],
  ['57014', 'statement_timeout'],
  ['25P03', 'transaction_timeout'],
  ['25P04', 'transaction_timeout'],
  ['23505', 'unique'],
  ['57P01', 'shutdown'],
  ['57P02', 'shutdown'],
  ['57P03', 'shutdown'],
  ['42501', 'permission'],
  ['26000', 'prepared_lost'],
  ['42P05', 'prepared_lost'],
]);

const byClass = new Map<string, DatabaseErrorClass>([
  ['08', 'connection'],
  ['22', 'data'],
  ['23', 'constraint'],
  ['53', 'resources'],
  ['58', 'resources'],
]);

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const clientMessages = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
]);
