import type { Database } from '@mailroom/db';
import { type Logger, messageOf } from '@mailroom/kernel';

/** One kind of event at one endpoint. */
export interface ArrivalKind {
  readonly provider: string;
  readonly endpoint: string;
  readonly eventType: string;
}

export interface ArrivalRecorder {
  /** Notes that an event came by webhook for the first time. Never waits and never fails. */
  came(kind: ArrivalKind): void;
  /** Writes what was noted. */
  close(): Promise<void>;
}

/**
 * Counts by hour and type what comes, outside the acknowledging path: in memory, written every few seconds, so that a type that
 * has stopped coming can be seen without a look through the ledger. A crash loses some seconds of counts, never an event.
 */
export function createArrivalRecorder(database: Database, log: Logger): ArrivalRecorder {
  let counts = new Map<string, ArrivalKind & { events: number }>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  return { came, close: flush };

  function came({ provider, endpoint, eventType }: ArrivalKind): void {
    const key = `${provider}/${endpoint}/${eventType}`;
    const known = counts.get(key);
    if (known) known.events += 1;
    // A sender that invents types must not fill the memory.
    else if (counts.size < maxKinds) counts.set(key, { provider, endpoint, eventType, events: 1 });
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // In key order, so that two ingestors never deadlock.
    const rows = [...counts.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    counts = new Map();
    writing = writing.then(() => write(rows));
    return writing;
  }

  async function write(rows: readonly (ArrivalKind & { events: number })[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await database.pool.query(addArrivalsText, [
        rows.map((row) => row.provider),
        rows.map((row) => row.endpoint),
        rows.map((row) => row.eventType),
        rows.map((row) => row.events),
      ]);
    } catch (error) {
      log.warn('arrivals_not_counted', { rows: rows.length, error: messageOf(error) });
    }
  }
}

/**
 * Index: primary key of inbox_arrivals, and inbox_arrivals_by_hour for what is forgotten: more than the fourteen days that are
 * looked at. Locks: upserts in the order given, by key; deletes with SKIP LOCKED. One statement, committed by itself.
 */
const addArrivalsText = `
with forgotten as (
  delete from inbox_arrivals where ctid = any (array(
    select ctid from inbox_arrivals where hour < now() - interval '30 days' order by hour limit 1000 for update skip locked
  ))
)
insert into inbox_arrivals as a (provider, endpoint, event_type, hour, events)
select n.provider, n.endpoint, n.event_type, date_trunc('hour', now()), n.events
from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) with ordinality
  as n (provider, endpoint, event_type, events, number)
order by n.number
on conflict (provider, endpoint, event_type, hour) do update
set events = a.events + excluded.events`;

const flushEveryMs = 5_000;
const maxKinds = 2_000;
