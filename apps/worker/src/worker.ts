import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { type ClaimedEvent, createClaimer, giveBack, passFinishedTurns, rearm } from '@mailroom/inbox';
import { type Logger, messageOf, pollInterval } from '@mailroom/kernel';
import pLimit from 'p-limit';
import { createBatchRunner } from './batch-runner.ts';
import { createClaimQueue } from './claim-queue.ts';
import { createClaimSize } from './claim-size.ts';
import { keepLeases } from './lease-keeper.ts';
import type { AttemptEnd } from './report-attempt.ts';
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
  /** There may be work: look now. */
  hint(): void;
  /** Takes no more, gives back what has not begun, finishes what has. Resolves when nothing is held. */
  drain(): Promise<void>;
  /** Whether the last look at the inbox worked. */
  healthy(): boolean;
  /** Transactions under way. */
  busySlots(): number;
}

/** Starts the claim loop: claim -> admit -> handlers -> complete, `slots` transactions at a time. */
export function startWorker(options: WorkerOptions): Worker {
  const { control, log, name: worker, leaseMs } = options;
  const claimer = createClaimer(control, { worker, leaseMs });
  const queue = createClaimQueue(options);
  const size = createClaimSize(options.minHeldRows, options.maxHeldRows);
  const limit = pLimit(options.slots);
  const turns = new Set<Promise<void>>();
  const poll = pollInterval(options.pollMinMs, options.pollMaxMs);
  const stopping = new AbortController();
  let batchEnded = Promise.withResolvers<void>();
  let lastLookWorked = false;
  let idle = new AbortController();
  let suspectsDueAt = 0;
  let suspectsLeft = false;

  const runner = createBatchRunner(options);
  const leases = keepLeases({ control, leaseMs, held: () => queue.held(), log });
  const sweeping = repeat(options.sweepEveryMs, sweep);
  const watching = repeat(options.pauseLookMs, () => runner.pauses.look());
  const claiming = claimLoop();

  return {
    hint: () => {
      poll.found();
      idle.abort();
    },
    drain,
    healthy: () => lastLookWorked,
    busySlots: () => limit.activeCount,
  };

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (performance.now() >= suspectsDueAt) await runSuspects();
      const room = size.rows() - queue.heldCount();
      // Several rows at once or none: a claim for every row that is finished would cost a transaction an event.
      if (room < size.rows() / 2) {
        await batchEnded.promise;
        continue;
      }
      const found = await look(() => claimer.claim(room));
      take(found, found.length === room);
      if (found.length > 0) poll.found();
      else if (suspectsLeft) suspectsDueAt = 0;
      else await waitForWork(poll.nextMs());
    }
  }

  async function look(claim: () => Promise<readonly ClaimedEvent[]>): Promise<readonly ClaimedEvent[]> {
    try {
      const claimed = await claim();
      lastLookWorked = true;
      if (claimed.length > 0) options.observe.claimed(claimed.length);
      return claimed;
    } catch (error) {
      lastLookWorked = false;
      log.warn('claim_failed', { error: messageOf(error) });
      return [];
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
    const again = await runner.run(batch);
    queue.release(batch, again);
    // What waited for an object of this batch, or was not begun, may begin now.
    for (let n = Math.min(queue.waitingCount(), options.slots); n > 0; n -= 1) void startTurn();
    batchEnded.resolve();
    batchEnded = Promise.withResolvers<void>();
  }

  /**
   * Suspects may kill the process, so they run one at a time and nothing else is held meanwhile. At most for `suspectsMs` in a row, once
   * what is held has ended, for the innocent ones among them are many when a worker died with a full queue, and everything else
   * waits. Where nothing waits they go on at once.
   */
  async function runSuspects(): Promise<void> {
    suspectsLeft = await anySuspects();
    if (suspectsLeft) await untilNothingRuns();
    const endAt = performance.now() + suspectsMs;
    while (suspectsLeft && performance.now() < endAt && !stopping.signal.aborted) {
      const found = await look(async () => {
        const suspect = await claimer.claimSuspect();
        return suspect ? [suspect] : [];
      });
      suspectsLeft = found.length > 0;
      take(found, false);
      await untilNothingRuns();
    }
    suspectsDueAt = performance.now() + suspectsEveryMs;
  }

  async function untilNothingRuns(): Promise<void> {
    while (turns.size > 0) await Promise.all(turns);
  }

  async function anySuspects(): Promise<boolean> {
    try {
      return await claimer.suspectsDue();
    } catch {
      return false;
    }
  }

  async function sweep(): Promise<void> {
    try {
      const rows = await rearm(control, options.handlers, rearmAtOnce);
      if (rows > 0) log.info('parked_rearmed', { rows });
      await passFinishedTurns(control, rearmAtOnce);
    } catch (error) {
      log.warn('sweep_failed', { error: messageOf(error) });
    }
  }

  async function repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      await work();
      await wait(everyMs);
    }
  }

  /** Ends early at a hint. */
  async function waitForWork(ms: number): Promise<void> {
    idle = new AbortController();
    await pause(ms, undefined, { signal: AbortSignal.any([stopping.signal, idle.signal]) }).catch(() => undefined);
  }

  /** Ends early when the worker is told to stop. */
  async function wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function drain(): Promise<void> {
    stopping.abort();
    batchEnded.resolve();
    await giveBackWaiting();
    await Promise.all([claiming, sweeping, watching]);
    await untilNothingRuns();
    // What a last claim brought, or a batch left unbegun.
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
const suspectsMs = 500;
const suspectsEveryMs = 1_000;
