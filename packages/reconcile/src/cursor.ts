import type { Database, Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { floorToHour, hourMs, lateAfterMs } from './coverage.ts';
import type { EventSource, TimeWindow } from './event-source.ts';

export interface SweepBounds {
  /** Null: from where the last sweep ended, with an overlap. */
  readonly since: Date | null;
  /** Null: until a few minutes ago. */
  readonly until: Date | null;
  readonly now: Date;
  /** The ledger knows no event that is older; a sweep must not reach further, or it lets in again what was pruned. */
  readonly ledgerRetentionDays: number;
}

/** How far a list has been swept; null: never. */
export async function sweptUntil(database: Database, source: EventSource): Promise<Date | null> {
  const { provider, endpoint, account } = source;
  const row = await database.kysely
    .selectFrom('reconcile_cursors')
    .select('swept_until')
    .where('provider', '=', provider)
    .where('endpoint', '=', endpoint)
    .where('account', '=', account ?? '')
    .executeTakeFirst();
  return row?.swept_until ?? null;
}

/**
 * What a sweep looks at: whole hours from an hour before the last one ended, for events appear in a list a little late; at the
 * first time what the provider may itself still be trying to deliver. Never beyond what the provider tells, nor beyond the ledger.
 */
export function windowOf(
  source: Pick<EventSource, 'reachMs'>,
  cursor: Date | null,
  { since, until, now, ledgerRetentionDays }: SweepBounds,
): TimeWindow {
  const latest = now.getTime() - lateAfterMs;
  const end = Math.min(until?.getTime() ?? latest, latest);
  const wanted = since ?? new Date((cursor?.getTime() ?? end - firstReachMs) - (cursor === null ? 0 : overlapMs));
  const reachMs = Math.min(source.reachMs, ledgerRetentionDays * 86_400_000);
  // Upwards: half of an hour must not replace what is known of the whole.
  const earliest = Math.ceil((now.getTime() - reachMs) / hourMs) * hourMs;
  const begin = Math.max(floorToHour(wanted).getTime(), earliest);
  return { since: new Date(begin), until: new Date(Math.max(begin, end)) };
}

/** Notes a stretch as swept, unless it would leave a hole behind it. In the caller's transaction. */
export async function advanceCursor(tx: Tx, source: EventSource, { since, until }: TimeWindow): Promise<void> {
  const { provider, endpoint, account } = source;
  await sql`
    insert into reconcile_cursors as c (provider, endpoint, account, swept_until)
    values (${provider}, ${endpoint}, ${account ?? ''}, ${until})
    on conflict (provider, endpoint, account) do update
    set swept_until = greatest(c.swept_until, excluded.swept_until), swept_at = now()
    where c.swept_until >= ${since}`.execute(tx);
}

const overlapMs = hourMs;
// Stripe tries for three days; what is older was never coming by itself.
const firstReachMs = 3 * 86_400_000;
