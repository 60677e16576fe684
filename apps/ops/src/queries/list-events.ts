import type { Tx } from '@mailroom/db';
import type { EventKey } from '@mailroom/kernel';
import { type EventFilter, matches } from './event-filter.ts';
import { after, columns, type EventSummary, upTo } from './event-summary.ts';
import { hasIndexedState } from './indexed-state.ts';

export interface EventPage {
  readonly events: readonly EventSummary[];
  /** Where the next page begins; null when the end was reached. */
  readonly next: EventKey | null;
  /** False where the search stopped for time before the page was full; `next` then says where to go on. */
  readonly complete: boolean;
}

export interface PageRequest {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly after: EventKey | null;
  /** When to stop looking, milliseconds on `performance.now()`. */
  readonly deadlineMs: number;
}

/**
 * One page in key order. A filter on unfinished states is answered by their partial indexes. Any other may match one row in
 * millions, and only the primary key leads there: so the ledger is walked in stretches of the key, each a short statement,
 * until the page is full, the ledger ends or the time is up.
 */
export async function listEvents(tx: Tx, request: PageRequest): Promise<EventPage> {
  if (hasIndexedState(request.filter)) {
    const events = await readStretch(tx, request.filter, request.after, null, request.limit + 1);
    return fullPage(events, request.limit) ?? { events, next: null, complete: true };
  }
  const events: EventSummary[] = [];
  let from = request.after;
  for (;;) {
    const end = await endOfStretch(tx, request.filter, from);
    events.push(...(await readStretch(tx, request.filter, from, end, request.limit + 1 - events.length)));
    const page = fullPage(events, request.limit);
    if (page !== null) return page;
    if (end === null) return { events, next: null, complete: true };
    if (performance.now() >= request.deadlineMs) return { events, next: end, complete: false };
    from = end;
  }
}

/** One row beyond the limit shows that there is more. */
function fullPage(events: readonly EventSummary[], limit: number): EventPage | null {
  if (events.length <= limit) return null;
  const page = events.slice(0, limit);
  return { events: page, next: page.at(-1) ?? null, complete: true };
}

function readStretch(
  tx: Tx,
  filter: EventFilter,
  from: EventKey | null,
  end: EventKey | null,
  limit: number,
): Promise<EventSummary[]> {
  let query = tx
    .selectFrom('webhook_inbox')
    .select(columns)
    .where((eb) => matches(eb, filter));
  if (from !== null) query = query.where(after(from));
  if (end !== null) query = query.where(upTo(end));
  return query.orderBy('provider').orderBy('endpoint').orderBy('event_id').limit(limit).execute();
}

/** The key that many rows further on; null when the ledger (of that provider and endpoint) ends before. */
async function endOfStretch(tx: Tx, filter: EventFilter, from: EventKey | null): Promise<EventKey | null> {
  let query = tx.selectFrom('webhook_inbox').select(['provider', 'endpoint', 'event_id as eventId']);
  if (filter.provider !== null) query = query.where('provider', '=', filter.provider);
  if (filter.endpoint !== null) query = query.where('endpoint', '=', filter.endpoint);
  if (from !== null) query = query.where(after(from));
  const row = await query
    .orderBy('provider')
    .orderBy('endpoint')
    .orderBy('event_id')
    .offset(stretchRows - 1)
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

const stretchRows = 20_000;
