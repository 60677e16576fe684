import type { Tx } from '@mailroom/db';
import { CodedError, type EventKey } from '@mailroom/kernel';
import { sql } from 'kysely';

/** What the synchronous shape makes of a row that it inserted or locked itself. */
export interface Finish {
  readonly state: 'processed' | 'ignored' | 'rejected' | 'parked';
  /** Why; null for processed and parked. */
  readonly reason: string | null;
}

/**
 * Index: primary key of webhook_inbox. In the transaction that did the work and holds the row already, so it waits for nobody.
 * Counts the attempt, unless there was none, and records a rejection as the worker does.
 * Throws `completion_lost` where the row is no longer as this transaction left it: the work itself changed it.
 */
export async function finishUnleased(tx: Tx, key: EventKey, { state, reason }: Finish): Promise<void> {
  const attempts = state === 'parked' ? 0 : 1;
  const isFinal = state === 'processed' || state === 'ignored';
  const error = state === 'rejected' ? reason : null;
  const { rows } = await sql`
    with finished as (
      update webhook_inbox
      set state = ${state}, state_reason = ${reason}, last_error = coalesce(${error}::text, last_error),
          attempts = attempts + ${attempts}::int, total_attempts = total_attempts + ${attempts}::int,
          processed_at = case when ${isFinal}::boolean then statement_timestamp() end
      where provider = ${key.provider} and endpoint = ${key.endpoint} and event_id = ${key.eventId}
        and state in ('pending', 'parked') and lease_token is null
      returning provider, endpoint, event_id, attempts
    ),
    recorded as (
      insert into inbox_failures (provider, endpoint, event_id, attempt, worker, class, message)
      select provider, endpoint, event_id, attempts, 'receiveAndProcess', 'rejected', ${error}::text
      from finished where ${error}::text is not null
    )
    select from finished`.execute(tx);
  if (rows.length === 1) return;
  throw new CodedError('completion_lost', 'the inbox row changed under its own processing transaction');
}
