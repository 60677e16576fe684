import { inTransaction } from '@mailroom/db';
import {
  breakerActor,
  type ClaimedEvent,
  callsOf,
  handlerLookup,
  openPause,
  passTurns,
  processBatch,
} from '@mailroom/inbox';
import { messageOf } from '@mailroom/kernel';
import { createAdmission } from './admit.ts';
import { createBreaker, type Tripped } from './breaker.ts';
import { type PauseWatch, watchPauses } from './pause-watch.ts';
import { type AttemptEnd, reportAttempt } from './report-attempt.ts';
import type { WorkerOptions } from './worker.ts';

export interface BatchRunner {
  /** Attempts a batch and reports each end. Answers what was not begun and is still held. Never throws. */
  run(batch: readonly ClaimedEvent[]): Promise<readonly ClaimedEvent[]>;
  readonly pauses: PauseWatch;
}

/** What happens to a batch of claimed events: admit -> handlers -> complete, then what their ends mean for pauses and turns. */
export function createBatchRunner(options: WorkerOptions): BatchRunner {
  const { control, log, name: worker, leaseMs } = options;
  const findHandler = handlerLookup(options.handlers);
  const pauses = watchPauses({ control, worker, leaseMs, log, runCanary });
  const admit = createAdmission({ control, findHandler, pauses });
  const tripped = createBreaker(options.breaker);
  return { run, pauses };

  async function run(batch: readonly ClaimedEvent[]): Promise<readonly ClaimedEvent[]> {
    const startedAt = performance.now();
    const again: ClaimedEvent[] = [];
    for (const { claimed, end } of await attempt(batch)) {
      if (end.outcome === 'not_begun') again.push(claimed);
      else await ended(claimed, end, Math.round(performance.now() - startedAt));
    }
    return again;
  }

  async function attempt(
    batch: readonly ClaimedEvent[],
  ): Promise<readonly { claimed: ClaimedEvent; end: AttemptEnd | { outcome: 'not_begun' } }[]> {
    try {
      const { admitted, setAside } = await admit(batch);
      const results = await processBatch(callsOf(admitted), { ...options, worker });
      return [
        ...setAside.map(({ claimed, outcome }) => ({ claimed, end: { outcome } })),
        ...results.map(({ claimed, result }) => ({ claimed, end: result })),
      ];
    } catch (error) {
      return batch.map((claimed) => ({ claimed, end: { outcome: 'not_recorded', error } }));
    }
  }

  async function ended(event: ClaimedEvent, end: AttemptEnd, durationMs: number): Promise<void> {
    options.observe.finished(event, end.outcome, durationMs);
    reportAttempt(log, { event, end, worker, durationMs });
    try {
      const buried = end.outcome === 'exhausted' || end.outcome === 'rejected';
      if (buried && findHandler(event.provider, event.eventType)?.serialize === 'overtake') {
        await inTransaction(control, (tx) => passTurns(tx, [event]));
      }
      const trip = tripped(event, end);
      if (trip) await openBreaker(trip);
    } catch (error) {
      log.warn('sweep_failed', { error: messageOf(error) });
    }
  }

  async function openBreaker({ provider, eventType, reason }: Tripped): Promise<void> {
    const what = { scope: 'event_type', provider, eventType } as const;
    const { canaryAfterMs } = options.breaker;
    const opened = await openPause(control, { what, actor: breakerActor, reason, canaryAfterMs });
    if (opened) log.error('breaker_opened', { pause: opened, provider, event_type: eventType, reason });
    await pauses.look();
  }

  /** One held event past its pause; true where it succeeded. */
  async function runCanary(event: ClaimedEvent): Promise<boolean> {
    const handler = findHandler(event.provider, event.eventType);
    if (!handler) return false;
    const startedAt = performance.now();
    const results = await processBatch(callsOf([{ claimed: event, handler }]), { ...options, worker });
    const end = results[0]?.result;
    if (!end || end.outcome === 'not_begun') return false;
    const durationMs = Math.round(performance.now() - startedAt);
    options.observe.finished(event, end.outcome, durationMs);
    reportAttempt(log, { event, end, worker, durationMs });
    return end.outcome === 'processed' || end.outcome === 'ignored';
  }
}
