import type { DB } from '@mailroom/db';
import { type Kysely, sql } from 'kysely';

/** An event type that used to come and does not. */
export interface SilentType {
  readonly provider: string;
  readonly endpoint: string;
  readonly eventType: string;
  /** The last hour in which one came by webhook. */
  readonly lastHour: Date;
  readonly silentHours: number;
  /** Its second longest pause before, in hours: what it may be silent for without a word. */
  readonly usualHours: number;
}

/**
 * Event types that have been silent for more than twice as long as they usually are, and for more than two hours. Usual is the
 * second longest pause of the last fourteen days, so nights and weekends are, and one outage is not. A type that came in fewer
 * than 24 hours of that time is too rare to tell; one that has not come for fourteen days is no longer expected.
 *
 * Read only. Index: inbox_arrivals_by_hour; a few thousand rows.
 */
export async function silentTypes(db: Kysely<DB>, now: Date = new Date()): Promise<readonly SilentType[]> {
  const { rows } = await sql<SilentType>`
    with hours as (
      select provider, endpoint, event_type, hour,
        extract(epoch from hour - lag(hour) over (partition by provider, endpoint, event_type order by hour)) / 3600 as pause
      from inbox_arrivals
      where hour > ${now}::timestamptz - interval '14 days' and hour <= ${now}::timestamptz
    ), types as (
      select provider, endpoint, event_type, max(hour) as last_hour,
        (array_agg(pause order by pause desc) filter (where pause is not null))[2] as usual,
        -- Its hour is over when the next begins.
        extract(epoch from ${now}::timestamptz - max(hour)) / 3600 - 1 as silent
      from hours group by provider, endpoint, event_type having count(*) >= 24
    )
    select provider, endpoint, event_type as "eventType", last_hour as "lastHour",
      silent::float8 as "silentHours", usual::float8 as "usualHours"
    from types where silent > greatest(2, 2 * usual)
    order by provider, endpoint, event_type`.execute(db);
  return rows;
}
