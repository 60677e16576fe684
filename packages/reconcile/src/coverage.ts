import type { Database, Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { EventSource } from './event-source.ts';
import type { KnownEvent } from './known-events.ts';

/** How many events of a type a provider lists for an hour, and how they got here. */
export interface HourCounts {
  /** In the provider's list. */
  readonly expected: number;
  /** By webhook, in good time. */
  readonly received: number;
  /** By webhook, later than that. */
  readonly late: number;
  /** By a sweep, this one or an earlier one. */
  readonly injected: number;
}

export interface HourOfType extends HourCounts {
  readonly hour: Date;
  readonly eventType: string;
}

/** Counts the events of one stretch by hour and type. */
export interface Tally {
  /** `injected`: this sweep lets it in. `missing`: it would, were it not a dry run. */
  count(eventType: string, at: Date, how: 'received' | 'late' | 'injected' | 'missing'): void;
  hours(): readonly HourOfType[];
}

export function createTally(): Tally {
  const hours = new Map<string, { -readonly [Key in keyof HourOfType]: HourOfType[Key] }>();
  return {
    count(eventType, at, how) {
      const hour = floorToHour(at);
      const key = `${hour.getTime()} ${eventType}`;
      const counts = hours.get(key) ?? { hour, eventType, expected: 0, received: 0, late: 0, injected: 0 };
      hours.set(key, counts);
      counts.expected += 1;
      if (how !== 'missing') counts[how] += 1;
    },
    hours: () => [...hours.values()],
  };
}

export function floorToHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

/** How what is in the ledger came there. `at` is the provider's time of the event. */
export function cameBy({ origin, receivedAt }: KnownEvent, at: Date): 'received' | 'late' | 'injected' {
  if (origin === 'reconcile') return 'injected';
  return receivedAt.getTime() - at.getTime() > lateAfterMs ? 'late' : 'received';
}

/**
 * A webhook comes within seconds; what has not come after five minutes is not on its way in the ordinary course. So a sweep looks
 * no nearer than that: it would let in what is about to come.
 */
export const lateAfterMs = 5 * 60_000;
export const hourMs = 3_600_000;

/** Writes hours that were swept whole, over what an earlier sweep found. In the caller's transaction. */
export async function writeCoverage(tx: Tx, source: EventSource, hours: readonly HourOfType[]): Promise<void> {
  if (hours.length === 0) return;
  await sql`
    insert into reconcile_coverage
      (provider, endpoint, account, hour, event_type, expected, received, late, injected)
    select ${source.provider}, ${source.endpoint}, ${source.account ?? ''}, h.* from unnest(
      ${hours.map(({ hour }) => hour)}::timestamptz[], ${hours.map(({ eventType }) => eventType)}::text[],
      ${hours.map(({ expected }) => expected)}::int[], ${hours.map(({ received }) => received)}::int[],
      ${hours.map(({ late }) => late)}::int[], ${hours.map(({ injected }) => injected)}::int[]
    ) as h (hour, event_type, expected, received, late, injected)
    order by h.hour, h.event_type
    on conflict (provider, endpoint, account, hour, event_type) do update
    set expected = excluded.expected, received = excluded.received, late = excluded.late,
        injected = excluded.injected, swept_at = now()`.execute(tx);
}

/** Forgets hours older than the ledger may be, a few thousand at a time. Locks: SKIP LOCKED. */
export async function trimCoverage(database: Database, keepDays: number): Promise<void> {
  await database.pool.query(
    `delete from reconcile_coverage where (provider, endpoint, account, hour, event_type) in (
       select provider, endpoint, account, hour, event_type from reconcile_coverage
       where hour < now() - $1 * interval '1 day' order by hour limit 5000 for update skip locked)`,
    [keepDays],
  );
}
