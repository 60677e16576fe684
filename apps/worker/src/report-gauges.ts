import type { Database } from '@mailroom/db';
import { choreAge, inboxStats } from '@mailroom/inbox';
import { inboxStates } from '@mailroom/kernel';
import type { Metrics } from '@mailroom/observability';
import { standingOf } from '@mailroom/reconcile';
import { pruneChore } from './pruner.ts';

/** Sets the gauges of the worker when Prometheus asks, and only then. */
export function reportGauges(
  metrics: Metrics,
  pools: { readonly work: Database; readonly control: Database },
  busySlots: () => number,
): void {
  metrics.beforeRender(() => metrics.slotsBusy.set({}, busySlots()));
  reportPool(metrics, 'work', pools.work);
  reportPool(metrics, 'control', pools.control);
  metrics.beforeRender(async () => {
    const { byState, oldestDueSeconds } = await inboxStats(pools.control);
    for (const state of inboxStates) metrics.backlog.set({ state }, byState[state]);
    metrics.oldestAge.set({}, oldestDueSeconds ?? 0);
  });
  metrics.beforeRender(async () => {
    const seconds = await choreAge(pools.control, pruneChore);
    if (seconds !== null) metrics.pruneAge.set({}, seconds);
  });
  metrics.beforeRender(async () => {
    const { silent, openFindings, sweptAgeSeconds } = await standingOf(pools.control.kysely);
    metrics.silentTypes.set({}, silent.length);
    metrics.openFindings.set({}, openFindings);
    metrics.sweptAge.set({}, sweptAgeSeconds ?? 0);
  });
}

/** Sets the gauges of one pool likewise. */
export function reportPool(metrics: Metrics, pool: 'work' | 'control' | 'relay', database: Database): void {
  metrics.beforeRender(() => {
    const { totalCount, idleCount, waitingCount } = database.pool;
    metrics.poolConnections.set({ pool, state: 'busy' }, totalCount - idleCount);
    metrics.poolConnections.set({ pool, state: 'idle' }, idleCount);
    metrics.poolWaiting.set({ pool }, waitingCount);
  });
}
