import type { Database } from '@mailroom/db';
import type { Metrics } from '@mailroom/observability';
import type { RequestsInFlight } from './requests-in-flight.ts';

/** Sets, before every scrape, what is only true of the moment. */
export function reportGauges(metrics: Metrics, { pool }: Database, requests: RequestsInFlight): void {
  metrics.beforeRender(() => {
    metrics.requestsInFlight.set({}, requests.count());
    metrics.poolConnections.set({ pool: 'main', state: 'busy' }, pool.totalCount - pool.idleCount);
    metrics.poolConnections.set({ pool: 'main', state: 'idle' }, pool.idleCount);
    metrics.poolWaiting.set({ pool: 'main' }, pool.waitingCount);
  });
}
