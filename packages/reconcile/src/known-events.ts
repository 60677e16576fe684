import type { Database } from '@mailroom/db';
import type { IncomingEvent } from '@mailroom/inbox';
import type { EventSource } from './event-source.ts';

/** How an event is in the ledger. */
export interface KnownEvent {
  readonly origin: string;
  readonly receivedAt: Date;
}

/** For each event, in order, how it is in the ledger already; null: it is missing. Reads only. */
export async function knownEvents(
  database: Database,
  { provider, endpoint, knownBy }: Pick<EventSource, 'provider' | 'endpoint' | 'knownBy'>,
  events: readonly IncomingEvent[],
): Promise<readonly (KnownEvent | null)[]> {
  const { rows } = await database.pool.query<Row>(knownBy === 'id' ? byId : byVersion, [
    provider,
    endpoint,
    events.map(({ eventId }) => eventId),
    ...(knownBy === 'id' ? [] : [events.map((event) => event.objectKey), events.map((event) => event.providerTime)]),
  ]);
  return rows.map(({ origin, receivedAt }) => (origin === null ? null : { origin, receivedAt }));
}

type Row = { readonly origin: null; readonly receivedAt: null } | KnownEvent;

/** Index: primary key. */
const byId = `
select i.origin, i.received_at as "receivedAt"
from unnest($3::text[]) with ordinality as e (event_id, number)
left join webhook_inbox i on i.provider = $1 and i.endpoint = $2 and i.event_id = e.event_id
order by e.number`;

/** Index: webhook_inbox_versions, and the primary key for what a sweep named itself. */
const byVersion = `
select i.origin, i.received_at as "receivedAt"
from unnest($3::text[], $4::text[], $5::timestamptz[]) with ordinality
  as e (event_id, object_key, provider_time, number)
left join lateral (
  (select origin, received_at from webhook_inbox
   where provider = $1 and endpoint = $2 and object_key = e.object_key and provider_time >= e.provider_time
     and body_sha256 is not null
   order by received_at limit 1)
  union all
  (select origin, received_at from webhook_inbox where provider = $1 and endpoint = $2 and event_id = e.event_id)
  limit 1
) i on true
order by e.number`;
