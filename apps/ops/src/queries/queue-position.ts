import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { EventRow } from './event-row.ts';

export interface QueuePosition {
  /** How many due events of its endpoint come before this one; endpoints take turns. */
  readonly ahead: number;
  /** True where there are more than were counted. */
  readonly atLeast: boolean;
}

/** Counts along webhook_inbox_due, bounded: past some thousands the exact figure helps nobody. */
export async function queuePosition(tx: Tx, event: EventRow): Promise<QueuePosition> {
  const { rows } = await sql<{ readonly ahead: number }>`
    select count(*)::float8 as ahead from (
      select from webhook_inbox
      where state = 'pending' and available_at <= now() and provider = ${event.provider} and endpoint = ${event.endpoint}
        and (available_at, event_id) < (${event.availableAt}, ${event.eventId})
      limit ${countAtMost}
    ) as before`.execute(tx);
  const ahead = rows[0]?.ahead ?? 0;
  return { ahead, atLeast: ahead >= countAtMost };
}

const countAtMost = 10_000;
