import type { DB } from '@mailroom/db';
import type { InboxState } from '@mailroom/kernel';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';

/** What `mailroom list` may ask for; null or empty: anything. */
export interface EventFilter {
  readonly states: readonly InboxState[];
  readonly provider: string | null;
  readonly endpoint: string | null;
  readonly eventType: string | null;
  /** Received at least this long ago. */
  readonly olderThanSeconds: number | null;
  /** Received at most this long ago. */
  readonly newerThanSeconds: number | null;
  /** Stands, in upper or lower case, in the last error or in the reason of the state. */
  readonly error: string | null;
}

export function matches(eb: ExpressionBuilder<DB, 'webhook_inbox'>, filter: EventFilter): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [];
  if (filter.states.length > 0) conditions.push(eb('state', 'in', filter.states));
  if (filter.provider !== null) conditions.push(eb('provider', '=', filter.provider));
  if (filter.endpoint !== null) conditions.push(eb('endpoint', '=', filter.endpoint));
  if (filter.eventType !== null) conditions.push(eb('event_type', '=', filter.eventType));
  if (filter.olderThanSeconds !== null) conditions.push(eb('received_at', '<=', secondsAgo(filter.olderThanSeconds)));
  if (filter.newerThanSeconds !== null) conditions.push(eb('received_at', '>=', secondsAgo(filter.newerThanSeconds)));
  if (filter.error !== null) {
    conditions.push(eb.or([contains('last_error', filter.error), contains('state_reason', filter.error)]));
  }
  return eb.and(conditions);
}

function secondsAgo(seconds: number): Expression<Date> {
  return sql<Date>`now() - ${seconds} * interval '1 second'`;
}

function contains(column: 'last_error' | 'state_reason', text: string): Expression<SqlBool> {
  // strpos, not LIKE: what an operator pastes from a log is full of % and _.
  return sql<SqlBool>`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`;
}
