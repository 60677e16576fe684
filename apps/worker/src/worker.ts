import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { type ClaimedEvent, createClaimer, giveBack, handlerLookup, park, processBatch, rearm } from '@mailroom/inbox';
import { type Logger, messageOf } from '@mailroom/kernel';
import pLimit from 'p-limit';
import { callsOf, type HandledClaim } from './batch-calls.ts';
import { createClaimQueue } from './claim-queue.ts';
import { createClaimSize } from './claim-size.ts';
import { keepLeases } from './lease-keeper.ts';
import { pollInterval } from './poll-interval.ts';
import { type AttemptEnd, reportAttempt } from './report-attempt.ts';
import type { WorkerSettings } from './worker-settings.ts';

export interface WorkerOptions extends WorkerSettings {
  /** For processing transactions: one connection a slot. */
  readonly work: Database;
  /** For claiming, renewing and recording; apart, so that busy handlers never starve them. */
  readonly control: Database;
  readonly handlers: readonly Handler[];
  readonly log: Logger;
  readonly observe: WorkerObserver;
}

/** What the worker tells the metrics. */
export interface WorkerObserver {
  claimed(rows: number): void;
  finished(event: ClaimedEvent, outcome: AttemptEnd['outcome'], durationMs: number): void;
}

export interface Worker {
  /** Takes no more, gives back what has not begun, finishes what has. Resolves when nothing is held. */
  drain(): Promise<void>;
  /** Whether the last look at the inbox worked. */
  healthy(): boolean;
  /** Transactions under way. */
  busySlots(): number;
}

/** Starts the claim loop: claim -> handlers -> complete, `slots` transactions at a time. */
export function startWorker(options: WorkerOptions): Worker {
  const { control, log } = options;
  const findHandler = handlerLookup(options.handlers);
  const claimer = createClaimer(control, { worker: options.name, leaseMs: options.leaseMs });
  const queue = createClaimQueue(options);
  const size = createClaimSize(options.minHeldRows, options.maxHeldRows);
  const limit = pLimit(options.slots);
  const turns = new Set<Promise<void>>();
  const poll = pollInterval(options.pollMinMs, options.pollMaxMs);
  const stopping = new AbortController();
  let batchEnded = Promise.withResolvers<void>();
  let lastLookWorked = false;

  const leases = keepLeases({ control, leaseMs: options.leaseMs, held: () => queue.held(), log });
  const sweeping = sweepLoop();
  const claiming = claimLoop();

  return { drain, healthy: () => lastLookWorked, busySlots: () => limit.activeCount };

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const room = size.rows() - queue.heldCount();
      // Several rows at once or none: a claim for every row that is finished would cost a transaction an event.
      if (room < size.rows() / 2) {
        await batchEnded.promise;
        continue;
      }
      const found = await look(room);
      if (found > 0) poll.found();
      else await wait(poll.nextMs());
    }
  }

  async function look(room: number): Promise<number> {
    try {
      const claimed = await claimer.claim(room);
      lastLookWorked = true;
      if (claimed.length > 0) options.observe.claimed(claimed.length);
      take(claimed, claimed.length === room);
      return claimed.length;
    } catch (error) {
      lastLookWorked = false;
      log.warn('claim_failed', { error: messageOf(error) });
      return 0;
    }
  }

  function take(claimed: readonly ClaimedEvent[], full: boolean): void {
    const claimedAt = performance.now();
    queue.push(claimed);
    // One turn a row: a turn that finds nothing to begin costs nothing.
    const started = claimed.map(startTurn);
    if (full) void started.at(-1)?.then(() => size.workedOff(performance.now() - claimedAt));
  }

  function startTurn(): Promise<void> {
    const started = limit(turn).finally(() => turns.delete(started));
    turns.add(started);
    return started;
  }

  async function turn(): Promise<void> {
    if (stopping.signal.aborted) return;
    const batch = queue.take();
    if (batch.length === 0) return;
    const again = await run(batch);
    queue.release(batch, again);
    // What waited for an object of this batch, or was not begun, may begin now.
    for (let n = Math.min(queue.waitingCount(), options.slots); n > 0; n -= 1) void startTurn();
    wakeWaiting();
  }

  function wakeWaiting(): void {
    batchEnded.resolve();
    batchEnded = Promise.withResolvers<void>();
  }

  /** Answers what was not begun. */
  async function run(batch: readonly ClaimedEvent[]): Promise<readonly ClaimedEvent[]> {
    const startedAt = performance.now();
    const again: ClaimedEvent[] = [];
    for (const { claimed, end } of await attempt(batch)) {
      if (end.outcome === 'not_begun') {
        again.push(claimed);
        continue;
      }
      const durationMs = Math.round(performance.now() - startedAt);
      options.observe.finished(claimed, end.outcome, durationMs);
      reportAttempt(log, { event: claimed, end, worker: options.name, durationMs });
    }
    return again;
  }

  async function attempt(
    batch: readonly ClaimedEvent[],
  ): Promise<readonly { claimed: ClaimedEvent; end: AttemptEnd | { outcome: 'not_begun' } }[]> {
    try {
      const handled: HandledClaim[] = [];
      const unknown: ClaimedEvent[] = [];
      for (const claimed of batch) {
        const handler = findHandler(claimed.provider, claimed.eventType);
        if (handler) handled.push({ claimed, handler });
        else unknown.push(claimed);
      }
      for (const claimed of unknown) await park(control, claimed);
      const results = await processBatch(callsOf(handled), { ...options, worker: options.name });
      return [
        ...unknown.map((claimed) => ({ claimed, end: { outcome: 'parked' as const } })),
        ...results.map(({ claimed, result }) => ({ claimed, end: result })),
      ];
    } catch (error) {
      return batch.map((claimed) => ({ claimed, end: { outcome: 'not_recorded', error } }));
    }
  }

  async function sweepLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const rows = await rearm(control, options.handlers, rearmAtOnce);
        if (rows > 0) log.info('parked_rearmed', { rows });
      } catch (error) {
        log.warn('sweep_failed', { error: messageOf(error) });
      }
      await wait(options.sweepEveryMs);
    }
  }

  /** Ends early when the worker is told to stop. */
  async function wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function drain(): Promise<void> {
    stopping.abort();
    wakeWaiting();
    await claiming;
    await sweeping;
    await giveBackWaiting();
    while (turns.size > 0) await Promise.all(turns);
    // What a batch left unbegun waits again.
    await giveBackWaiting();
    await leases.stop();
  }

  async function giveBackWaiting(): Promise<void> {
    const waiting = queue.clear();
    if (waiting.length === 0) return;
    const rows = await giveBack(control, waiting);
    log.info('claims_returned', { rows });
  }
}

const rearmAtOnce = 1_000;
