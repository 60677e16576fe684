import type { Database, Tx } from '@mailroom/db';
import {
  type BatchResult,
  type ClaimedEvent,
  callsOf,
  createClaimer,
  type EventHandler,
  type FindHandler,
  type HandledClaim,
  type HandlerCall,
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
  const known: HandledClaim[] = [];
  for (const event of claimed) {
    const handler = find(event.provider, event.eventType);
    if (handler) {
      known.push({ claimed: event, handler });
      continue;
    }
    await park(control, event);
    attempts.push({ claimed: event, result: { outcome: 'parked' } });
  }
  if (mode === 'in batches') {
    attempts.push(
      ...(await processBatch(callsBeforeCommit(known, options), { ...processing, ...options, batchMs: 60_000 })),
    );
    return attempts;
  }
  for (const { claimed: event } of known) {
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

/** The calls that a worker makes of a batch; `beforeCommit` runs after the last. */
function callsBeforeCommit(batch: readonly HandledClaim[], { beforeCommit }: WorkerOptions): readonly HandlerCall[] {
  const calls = [...callsOf(batch)];
  const last = calls.pop();
  if (!last) return [];
  const handle = async (tx: Tx, events: readonly LockedEvent[]) => {
    const ends = await last.handle(tx, events);
    await beforeCommit?.();
    return ends;
  };
  return [...calls, { ...last, handle }];
}

const processing = {
  limits: { statementTimeoutMs: 10_000, idleInTransactionTimeoutMs: 20_000, transactionTimeoutMs: 30_000 },
  retry: { backoff: { baseMs: 0, capMs: 0 }, maxInfraRetries: 20 },
  worker: 'handler-kit',
  release: null,
};
