import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import {
  type ClaimedEvent,
  claim,
  giveBack,
  handlerLookup,
  type ProcessOptions,
  park,
  processEvent,
  rearm,
  workOf,
} from '@mailroom/inbox';
import { formatEventKey, type Logger, messageOf } from '@mailroom/kernel';
import pLimit from 'p-limit';
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
  /** Events in a handler right now. */
  busySlots(): number;
}

/** Starts the claim loop: claim -> handler -> complete, `slots` at a time. */
export function startWorker(options: WorkerOptions): Worker {
  const { control, log, slots } = options;
  const findHandler = handlerLookup(options.handlers);
  const processing: ProcessOptions = { ...options, worker: options.name };
  const limit = pLimit(slots);
  const capacity = slots + options.prefetch;
  // A claim waits until it can take several rows at once: one claim a freed slot would cost a transaction an event.
  const lowWater = Math.min(slots, capacity - 1);
  const held = new Map<string, ClaimedEvent>();
  const begun = new Set<string>();
  const poll = pollInterval(options.pollMinMs, options.pollMaxMs);
  const stopping = new AbortController();
  let slotFreed = Promise.withResolvers<void>();
  let lastLookWorked = false;

  const leases = keepLeases({ control, leaseMs: options.leaseMs, held: () => [...held.values()], log });
  const sweeping = repeat(options.sweepEveryMs, sweep);
  const claiming = claimLoop();

  return { drain, healthy: () => lastLookWorked, busySlots: () => begun.size };

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (held.size > lowWater) {
        await slotFreed.promise;
        continue;
      }
      const found = await look(capacity - held.size);
      if (found > 0) poll.found();
      else await wait(poll.nextMs());
    }
  }

  async function look(room: number): Promise<number> {
    try {
      const claimed = await claim(control, { limit: room, worker: options.name, leaseMs: options.leaseMs });
      lastLookWorked = true;
      if (claimed.length > 0) options.observe.claimed(claimed.length);
      for (const event of claimed) void take(event);
      return claimed.length;
    } catch (error) {
      lastLookWorked = false;
      log.warn('claim_failed', { error: messageOf(error) });
      return 0;
    }
  }

  async function take(event: ClaimedEvent): Promise<void> {
    const key = formatEventKey(event);
    held.set(key, event);
    await limit(async () => {
      if (stopping.signal.aborted) return;
      begun.add(key);
      await run(event);
      begun.delete(key);
      held.delete(key);
    });
    wakeWaiting();
  }

  function wakeWaiting(): void {
    slotFreed.resolve();
    slotFreed = Promise.withResolvers<void>();
  }

  async function run(event: ClaimedEvent): Promise<void> {
    const startedAt = performance.now();
    const end = await attempt(event);
    const durationMs = Math.round(performance.now() - startedAt);
    options.observe.finished(event, end.outcome, durationMs);
    reportAttempt(log, { event, end, worker: options.name, durationMs });
  }

  async function attempt(event: ClaimedEvent): Promise<AttemptEnd> {
    try {
      const handler = findHandler(event.provider, event.eventType);
      if (handler) return await processEvent(event, workOf(event, handler), processing);
      await park(control, event);
      return { outcome: 'parked' };
    } catch (error) {
      return { outcome: 'not_recorded', error };
    }
  }

  async function sweep(): Promise<void> {
    try {
      const rows = await rearm(control, options.handlers, rearmAtOnce);
      if (rows > 0) log.info('parked_rearmed', { rows });
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

  /** Ends early when the worker is told to stop. */
  async function wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function drain(): Promise<void> {
    stopping.abort();
    wakeWaiting();
    await claiming;
    await sweeping;
    const notBegun = [...held].filter(([key]) => !begun.has(key));
    for (const [key] of notBegun) held.delete(key);
    if (notBegun.length > 0) {
      const rows = await giveBack(
        control,
        notBegun.map(([, event]) => event),
      );
      log.info('claims_returned', { rows });
    }
    while (begun.size > 0) await slotFreed.promise;
    await leases.stop();
  }
}

const rearmAtOnce = 1_000;
