import type { Database } from '@mailroom/db';
import { type EventKey, formatEventKey } from '@mailroom/kernel';

/** What became of one key: `retried`, or why not. */
export type RetryOutcome =
  | 'retried'
  | 'processed'
  | 'ignored'
  | 'quarantined'
  | 'body_expired'
  | 'leased'
  | 'not_found';

export interface RetryRequest {
  readonly keys: readonly EventKey[];
  /** Who asks. */
  readonly actor: string;
  /** Why; kept in `operator_actions`. Not empty. */
  readonly reason: string;
}

/**
 * Starts events again from zero, whole: state, attempts, infrastructure retries and due time. Never touches a row that is
 * leased, locked or finished, nor one whose body has expired. Writes one row of `operator_actions`. One statement, committed by itself.
 */
export async function retryEvents(
  database: Database,
  request: RetryRequest,
): Promise<readonly { readonly key: string; readonly outcome: RetryOutcome }[]> {
  const { rows } = await database.pool.query<{ key: string; outcome: RetryOutcome }>(
    'select key, outcome from mailroom_retry($1::text[], $2, $3)',
    [request.keys.map(formatEventKey), request.actor, request.reason],
  );
  return rows;
}
