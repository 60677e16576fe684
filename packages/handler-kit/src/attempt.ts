import type { Database, Tx } from '@mailroom/db';
import {
  type BatchResult,
  type ClaimedEvent,
  contextOf,
  createClaimer,
  type EventHandler,
  type FindHandler,
  type HandlerCall,
  type HandlerEnd,
  handleEvent,
  type LockedEvent,
  park,
  processBatch,
  processEvent,
} from '@mailroom/inbox';

/** How events are handed to their handlers, as a worker does it with little and with much to do. */
export type Mode = 'alone' | 'in batches';

export interface WorkerOptions {
  readonly mode: Mode;
  /** Connections of the processing transactions. */
  readonly work: Database;
  /** Connections for claiming and recording. */
  readonly control: Database;
  readonly find: FindHandler<EventHandler>;
  /** Called in each transaction when its handlers have written all and nothing is committed. */
  readonly beforeCommit?: () => Promise<void>;
  /** Called after each attempt of mode `alone`. */
  readonly afterAttempt?: (attempt: Attempt) => Promise<void>;
}

/** One event tried once, and how that ended. */
export interface Attempt {
  readonly claimed: ClaimedEvent;
  readonly result: BatchResult['result'] | { readonly outcome: 'parked' };
}

/** Claims what is due, at most `limit`, then suspects one by one, and tries each, oldest first, through the inbox as a worker does. */
export async function attemptDue(options: WorkerOptions, limit = 1_000): Promise<readonly Attempt[]> {
  const claimer = createClaimer(options.control, { worker: 'handler-kit', leaseMs: 60_000 });
  const attempts = [...(await attempt(await claimer.claim(limit), options))];
  // An event whose connection broke may be to blame for that, so it comes alone.
  for (;;) {
    const suspect = await claimer.claimSuspect();
    if (!suspect) return attempts;
    attempts.push(...(await attempt([suspect], options)));
  }
}

async function attempt(claimed: readonly ClaimedEvent[], options: WorkerOptions): Promise<readonly Attempt[]> {
  const { control, find, mode } = options;
  const attempts: Attempt[] = [];
  const known: ClaimedEvent[] = [];
  for (const event of claimed) {
    if (find(event.provider, event.eventType)) {
      known.push(event);
      continue;
    }
    await park(control, event);
    attempts.push({ claimed: event, result: { outcome: 'parked' } });
  }
  if (mode === 'in batches') {
    attempts.push(...(await processBatch(callsOf(known, options), { ...processing, ...options, batchMs: 60_000 })));
    return attempts;
  }
  for (const event of known) {
    const result = await processEvent(event, (tx, locked) => handleAlone(options, tx, locked), {
      ...processing,
      ...options,
    });
    const ended = { claimed: event, result };
    attempts.push(ended);
    await options.afterAttempt?.(ended);
  }
  return attempts;
}

async function handleAlone({ find, beforeCommit }: WorkerOptions, tx: Tx, event: LockedEvent) {
  const handler = find(event.provider, event.eventType);
  if (!handler) throw new Error(`no handler for ${event.eventType}`);
  const outcome = await handleEvent(handler, tx, event);
  await beforeCommit?.();
  return outcome;
}

/**
 * The calls that a worker makes of a batch (`apps/worker/src/batch-calls.ts`): one a handler that takes sets, one for all first
 * events of their objects whose handlers touch only rows of their own object, and so on, one for each other event.
 */
function callsOf(batch: readonly ClaimedEvent[], { find, beforeCommit }: WorkerOptions): readonly HandlerCall[] {
  const sets = new Map<EventHandler, ClaimedEvent[]>();
  const rounds: ClaimedEvent[][] = [];
  const single: ClaimedEvent[] = [];
  const seen = new Map<string, number>();
  for (const claimed of batch) {
    const handler = find(claimed.provider, claimed.eventType);
    if (handler?.handleMany && !handler.serialize) {
      sets.set(handler, [...(sets.get(handler) ?? []), claimed]);
    } else if (handler?.ownRowsOnly && claimed.objectKey !== null) {
      const round = seen.get(claimed.objectKey) ?? 0;
      seen.set(claimed.objectKey, round + 1);
      rounds[round] = [...(rounds[round] ?? []), claimed];
    } else {
      single.push(claimed);
    }
  }
  const calls: HandlerCall[] = [
    ...Array.from(sets, ([handler, claimed]) => ({
      claimed,
      handle: (tx: Tx, events: readonly LockedEvent[]) => handleSet(handler, tx, events),
    })),
    ...[...rounds, ...single.map((claimed) => [claimed])].map((claimed) => ({
      claimed,
      handle: (tx: Tx, events: readonly LockedEvent[]) =>
        Promise.all(events.map((event) => handleOne(find(event.provider, event.eventType), tx, event))),
    })),
  ];
  const last = calls.pop();
  if (!last) return [];
  const handle = async (tx: Tx, events: readonly LockedEvent[]) => {
    const ends = await last.handle(tx, events);
    await beforeCommit?.();
    return ends;
  };
  return [...calls, { ...last, handle }];
}

async function handleSet(
  handler: EventHandler,
  tx: Tx,
  events: readonly LockedEvent[],
): Promise<readonly HandlerEnd[]> {
  const given = events.map((event) => contextOf(tx, event));
  const contexts = given.flatMap((one) => ('context' in one ? [one.context] : []));
  const outcomes = ((await handler.handleMany?.(contexts)) ?? []).values();
  return given.map((one): HandlerEnd => {
    if ('refusal' in one) return one.refusal;
    const missing = { outcome: 'threw' as const, error: new Error('handleMany answered fewer outcomes than events') };
    return outcomes.next().value ?? missing;
  });
}

async function handleOne(handler: EventHandler | undefined, tx: Tx, event: LockedEvent): Promise<HandlerEnd> {
  try {
    if (!handler) throw new Error(`no handler for ${event.eventType}`);
    return await handleEvent(handler, tx, event);
  } catch (error) {
    return { outcome: 'threw', error };
  }
}

const processing = {
  limits: { statementTimeoutMs: 10_000, idleInTransactionTimeoutMs: 20_000, transactionTimeoutMs: 30_000 },
  retry: { backoff: { baseMs: 0, capMs: 0 }, maxInfraRetries: 20 },
  worker: 'handler-kit',
  release: null,
};
