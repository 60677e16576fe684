import type { Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';

export interface DuplicatesOfEvent {
  /** Deliveries beyond the first. */
  readonly deliveries: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** By primary key; null where the event came once. */
export async function duplicatesOfEvent(tx: Tx, key: EventKey): Promise<DuplicatesOfEvent | null> {
  const row = await tx
    .selectFrom('inbox_duplicates')
    .select(['count', 'first_at as firstAt', 'last_at as lastAt'])
    .where('provider', '=', key.provider)
    .where('endpoint', '=', key.endpoint)
    .where('event_id', '=', key.eventId)
    .executeTakeFirst();
  return row === undefined ? null : { deliveries: Number(row.count), firstAt: row.firstAt, lastAt: row.lastAt };
}
