import type { Database } from '@mailroom/db';
import type { Delivery, Receiver } from '@mailroom/inbox';
import { uuidv7 } from '@mailroom/kernel';
import { readAgain } from '@mailroom/providers';
import { cameBy, createTally, floorToHour, hourMs, type Tally, writeCoverage } from './coverage.ts';
import { advanceCursor, type SweepBounds, sweptUntil, windowOf } from './cursor.ts';
import type { EventSource, FetchedEvent, TimeWindow } from './event-source.ts';
import { knownEvents } from './known-events.ts';
import type { Runner } from './runner.ts';

export interface SweepContext extends SweepBounds {
  readonly database: Database;
  /** Takes what is missing. Null: a dry run, which writes nothing at all. */
  readonly receiver: Receiver | null;
  readonly runner: Runner;
  /** Ends the sweep after the stretch at hand; the next goes on from there. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SweepProgress) => void;
}

export interface SweepProgress {
  readonly source: EventSource;
  readonly window: TimeWindow;
  /** Everything before is done. */
  readonly at: Date;
  /** Events seen so far. */
  readonly seen: number;
}

export interface SweepResult {
  readonly provider: string;
  readonly endpoint: string;
  readonly account: string | null;
  readonly window: TimeWindow;
  readonly expected: number;
  /** Of these, known before this sweep. */
  readonly had: number;
  /** Of these, let in by this sweep; in a dry run, what would be. */
  readonly missing: number;
  readonly missingByType: Readonly<Record<string, number>>;
  /** Not everything was looked at: it was told to stop. */
  readonly stopped: boolean;
}

/**
 * Sweeps one list: what is missing in the ledger comes in through `receive` with the origin `reconcile`, so the same handlers run,
 * and what comes late by webhook is a duplicate. The oldest first, in stretches of whole hours; after each, in one transaction
 * that holds the lease, coverage and cursor are written. Cut off anywhere it loses nothing: the stretch is swept again, and
 * what it had let in is there.
 */
export async function sweepEvents(source: EventSource, context: SweepContext): Promise<SweepResult> {
  const { database, runner, signal, onProgress } = context;
  const window = windowOf(source, await sweptUntil(database, source), context);
  const total = { expected: 0, had: 0, missing: 0 };
  const missingByType: Record<string, number> = {};
  let stretchMs = hourMs;
  let at = window.since;
  while (at < window.until) {
    if (signal?.aborted) break;
    const until = new Date(Math.min(floorToHour(at).getTime() + stretchMs, window.until.getTime()));
    const stretch = { since: at, until };
    const tally = createTally();
    let pages = 0;
    for await (const page of source.list(stretch)) {
      pages += 1;
      await takePage(page, stretch, tally);
      await runner.renew();
      onProgress?.({ source, window, at: stretch.since, seen: total.expected });
    }
    if (context.receiver !== null) {
      await database.kysely.transaction().execute(async (tx) => {
        await runner.renewIn(tx);
        await writeCoverage(tx, source, tally.hours());
        await advanceCursor(tx, source, stretch);
      });
    } else await runner.renew();
    at = until;
    onProgress?.({ source, window, at, seen: total.expected });
    stretchMs = nextStretch(stretchMs, pages);
  }
  const { provider, endpoint, account } = source;
  return { provider, endpoint, account, window, ...total, missingByType, stopped: at < window.until };

  async function takePage(page: readonly FetchedEvent[], stretch: TimeWindow, tally: Tally): Promise<void> {
    const listed = page.flatMap((fetched) => deliveriesOf(source, fetched));
    const known = await knownEvents(
      database,
      source,
      listed.map(({ event }) => event),
    );
    await Promise.all(
      listed.map(async ({ event, delivery }, index) => {
        const happenedAt = event.providerTime ?? stretch.since;
        const there = known[index] ?? null;
        total.expected += 1;
        if (there !== null) {
          total.had += 1;
          tally.count(event.eventType, happenedAt, cameBy(there, happenedAt));
          return;
        }
        const receipt = await context.receiver?.receive(delivery);
        if (receipt?.stored === 0) {
          // Its webhook came in between.
          total.had += 1;
          tally.count(event.eventType, happenedAt, 'late');
          return;
        }
        total.missing += 1;
        missingByType[event.eventType] = (missingByType[event.eventType] ?? 0) + 1;
        tally.count(event.eventType, happenedAt, receipt === undefined ? 'missing' : 'injected');
      }),
    );
  }
}

/** The events in what was fetched, each as a delivery of its own that the inbox takes. */
export function deliveriesOf(
  { provider, endpoint, scheme }: Pick<EventSource, 'provider' | 'endpoint' | 'scheme'>,
  { body, headers }: FetchedEvent,
): readonly { readonly event: Delivery['events'][number]; readonly delivery: Delivery }[] {
  const reading = readAgain(scheme, { deliveryId: uuidv7(), body, headers });
  // What cannot be read has no name by which it could be known; its webhook would have been quarantined.
  if (reading.outcome === 'unreadable') return [];
  return reading.events.map((event) => ({
    event,
    delivery: {
      provider,
      endpoint,
      body,
      headers,
      contentType: 'application/json',
      secretLabel: null,
      origin: 'reconcile',
      events: [event],
    },
  }));
}

/** Quiet hours go by the day, busy ones one by one: what is cut off and done again stays small either way. */
function nextStretch(stretchMs: number, pages: number): number {
  if (pages <= 1) return Math.min(stretchMs * 2, 24 * hourMs);
  return pages > 20 ? Math.max(stretchMs / 2, hourMs) : stretchMs;
}
