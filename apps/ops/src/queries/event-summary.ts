import type { EventKey } from '@mailroom/kernel';
import { type Expression, type SqlBool, sql } from 'kysely';

/** One event in a list. */
export interface EventSummary extends EventKey {
  readonly eventType: string;
  readonly objectKey: string | null;
  readonly state: string;
  readonly stateReason: string | null;
  readonly heldBy: string | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly totalAttempts: number;
  readonly receivedAt: Date;
  readonly availableAt: Date;
  readonly leasedBy: string | null;
  readonly leasedUntil: Date | null;
  readonly processedAt: Date | null;
  readonly lastError: string | null;
}

export const columns = [
  'provider',
  'endpoint',
  'event_id as eventId',
  'event_type as eventType',
  'object_key as objectKey',
  'state',
  'state_reason as stateReason',
  'held_by as heldBy',
  'attempts',
  'max_attempts as maxAttempts',
  'total_attempts as totalAttempts',
  'received_at as receivedAt',
  'available_at as availableAt',
  'leased_by as leasedBy',
  'leased_until as leasedUntil',
  'processed_at as processedAt',
  'last_error as lastError',
] as const;

/** Keys after this one, in the order of the primary key. */
export function after(key: EventKey): Expression<SqlBool> {
  return sql<SqlBool>`(provider, endpoint, event_id) > (${key.provider}, ${key.endpoint}, ${key.eventId})`;
}

/** Keys up to this one, itself included. */
export function upTo(key: EventKey): Expression<SqlBool> {
  return sql<SqlBool>`(provider, endpoint, event_id) <= (${key.provider}, ${key.endpoint}, ${key.eventId})`;
}
