import type { Metrics } from '@mailroom/observability';
import type { PrunerObserver } from './pruner.ts';
import type { WorkerObserver } from './worker.ts';

const ends = new Set(['processed', 'ignored', 'rejected', 'exhausted']);

/** Counts what the worker does. */
export function createObserver(metrics: Metrics): WorkerObserver & PrunerObserver {
  return {
    claimed: (rows) => metrics.claimed.add({}, rows),
    pruned: (table, rows) => metrics.pruned.add({ table }, rows),
    finished: ({ provider, eventType: event_type, attempts }, outcome, durationMs) => {
      metrics.attempts.add({ provider, event_type, outcome });
      metrics.handlerDuration.observe({ provider, event_type }, durationMs / 1000);
      if (ends.has(outcome)) metrics.attemptsNeeded.observe({ outcome }, attempts);
      if (outcome === 'exhausted') metrics.exhausted.add({ provider, event_type });
    },
  };
}
