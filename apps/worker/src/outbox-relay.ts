import type { Config } from '@mailroom/config';
import { type Database, type DatabaseOptions, openDatabase } from '@mailroom/db';
import type { Logger } from '@mailroom/kernel';
import type { Metrics } from '@mailroom/observability';
import { outboxStats, type Relay, type SinkRoute, startRelay, unsentStates } from '@mailroom/outbox';
import { reportPool } from './report-gauges.ts';
import type { WorkerSettings } from './worker-settings.ts';

/**
 * Starts the relay of this worker, over connections of its own, which its `drain` closes. None where it is switched off, or where there
 * is no sink at all: then messages stay pending until there is one.
 */
export function startOutboxRelay(
  config: Config,
  options: {
    readonly settings: WorkerSettings;
    readonly connection: Pick<DatabaseOptions, 'url' | 'connectTimeoutMs' | 'onIdleError'>;
    /** Some sinks look things up in the database; what is given here is the relay's own. */
    readonly routes: (database: Database) => readonly SinkRoute[];
    readonly metrics: Metrics;
    readonly log: Logger;
  },
): Relay | undefined {
  if (!config.outbox.relay) return undefined;
  const { settings, metrics } = options;
  const { sendsInFlight, leaseMs, sendTimeoutMs, maxAttempts } = config.outbox;
  const database = openDatabase({
    ...options.connection,
    applicationName: 'mailroom-worker-relay',
    // One claims or renews, one records, one is left for a sink that looks something up.
    maxConnections: 3,
    queryTimeoutMs: leaseMs / 3,
  });
  const routes = options.routes(database);
  // Nothing was connected to yet.
  if (!routes.some(({ sink }) => sink !== null)) return undefined;
  const relay = startRelay({
    database,
    name: settings.name,
    routes,
    concurrency: sendsInFlight,
    leaseMs,
    sendTimeoutMs,
    retry: { backoff: settings.retry.backoff, maxAttempts },
    pollMinMs: settings.pollMinMs,
    pollMaxMs: settings.pollMaxMs,
    sweepEveryMs: settings.sweepEveryMs,
    log: options.log,
    observe: {
      finished: (_message, sink, outcome, durationMs) => {
        metrics.sends.add({ sink: sink ?? 'none', outcome });
        metrics.sendDuration.observe({ sink: sink ?? 'none' }, durationMs / 1000);
      },
    },
  });
  reportPool(metrics, 'relay', database);
  metrics.beforeRender(async () => {
    const { byState, oldestDueSeconds } = await outboxStats(database);
    for (const state of unsentStates) metrics.outboxMessages.set({ state }, byState[state]);
    metrics.outboxOldestAge.set({}, oldestDueSeconds ?? 0);
  });
  return {
    ...relay,
    drain: async () => {
      await relay.drain();
      await database.close();
    },
  };
}
