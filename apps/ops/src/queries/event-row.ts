import type { Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { sql } from 'kysely';
import { columns, type EventSummary } from './event-summary.ts';

/** The whole ledger row of one event. */
export interface EventRow extends EventSummary {
  readonly deliveryId: string;
  readonly itemPath: readonly string[] | null;
  readonly providerTime: Date | null;
  readonly apiVersion: string | null;
  readonly account: string | null;
  readonly livemode: boolean | null;
  readonly secretLabel: string | null;
  readonly origin: string;
  readonly infraRetries: number;
  readonly failureGroup: string | null;
  /** The database's clock when the row was read. */
  readonly now: Date;
}

/** By primary key; null where the ledger has no such event. */
export async function findEvent(tx: Tx, key: EventKey): Promise<EventRow | null> {
  const row = await tx
    .selectFrom('webhook_inbox')
    .select(columns)
    .select([
      'delivery_id as deliveryId',
      'item_path as itemPath',
      'provider_time as providerTime',
      'api_version as apiVersion',
      'account',
      'livemode',
      'secret_label as secretLabel',
      'origin',
      'infra_retries as infraRetries',
      'failure_group as failureGroup',
      sql<Date>`now()`.as('now'),
    ])
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .executeTakeFirst();
  return row ?? null;
}
