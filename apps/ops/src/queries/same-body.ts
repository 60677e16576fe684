import type { Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { sql } from 'kysely';

/** The other events of the endpoint that came with the very same signed bytes. */
export interface SameBody {
  /** Oldest first, the event itself left out. */
  readonly eventIds: readonly string[];
  /** There are more than are listed. */
  readonly more: boolean;
}

/**
 * By the index webhook_inbox_same_body, and no further than it lists. Null where the id of the event is signed: then no hash is
 * kept, because nobody can send the bytes again under another id.
 */
export async function eventsWithSameBody(tx: Tx, key: EventKey): Promise<SameBody | null> {
  const { rows } = await sql<{ hashed: boolean; eventId: string | null }>`
    with own as (
      select provider, endpoint, event_id, body_sha256 from webhook_inbox
      where provider = ${key.provider} and endpoint = ${key.endpoint} and event_id = ${key.eventId}
    )
    select own.body_sha256 is not null as hashed, other.event_id as "eventId"
    from own left join lateral (
      select i.event_id, i.received_at from webhook_inbox i
      where i.provider = own.provider and i.endpoint = own.endpoint and i.body_sha256 = own.body_sha256
        and i.event_id <> own.event_id
      limit ${listed + 1}
    ) as other on true
    order by other.received_at, other.event_id`.execute(tx);
  if (rows[0]?.hashed !== true) return null;
  const eventIds = rows.flatMap(({ eventId }) => eventId ?? []);
  return { eventIds: eventIds.slice(0, listed), more: eventIds.length > listed };
}

const listed = 10;
