import { type Config, loadConfig, secretsOf } from '@mailroom/config';
import { openDatabase } from '@mailroom/db';
import { handlers } from '@mailroom/domain';
import { listenForHints } from '@mailroom/inbox';
import { messageOf } from '@mailroom/kernel';
import { createLogger, createMetrics, startAdminServer } from '@mailroom/observability';
import { databaseUrlOf, shutDownOnSignals, watchEventLoop } from '@mailroom/service';
import { createObserver } from './observe.ts';
import { startOutboxRelay } from './outbox-relay.ts';
import { startPruner } from './pruner.ts';
import { reportGauges } from './report-gauges.ts';
import { routesFromConfig } from './routes-from-config.ts';
import { settingsFromConfig } from './settings-from-config.ts';
import { stripeRoutes } from './stripe-routes.ts';
import { startWorker } from './worker.ts';

try {
  await start(loadConfig('worker', { env: process.env, cwd: process.cwd(), providers: [] }));
} catch (error) {
  // Whoever starts it reads what is wrong and what would be right; a stack would only hide that.
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  const settings = settingsFromConfig(config, process.pid);
  const log = createLogger({ level: config.logLevel, name: 'worker', secrets: secretsOf(config) });
  for (const warning of config.warnings) log.warn('config_warning', { warning });
  const metrics = createMetrics({ handlers });
  metrics.processInfo.set({ role: 'worker', release: config.release ?? 'unknown' }, 1);

  const connection = {
    url: await databaseUrlOf(config),
    connectTimeoutMs: config.database.connectTimeoutMs,
    onIdleError: (error: Error) => log.warn('database_connection_lost', { error: messageOf(error) }),
  };
  // Only handlers send the same few statements again and again; those of the other pools join tables, and are planned each time.
  const work = openDatabase({
    ...connection,
    prepare: config.database.prepare,
    onPreparedLost: (error) => log.warn('prepared_statements_off', { error: messageOf(error) }),
    applicationName: 'mailroom-worker',
    maxConnections: settings.slots,
    // The server's own limits end a transaction; the client waits a little longer, for their message says what happened.
    queryTimeoutMs: settings.limits.statementTimeoutMs + 5_000,
  });
  const control = openDatabase({
    ...connection,
    applicationName: 'mailroom-worker-control',
    maxConnections: 2,
    queryTimeoutMs: settings.leaseMs / 3,
  });

  const pruning = openDatabase({
    ...connection,
    applicationName: 'mailroom-worker-prune',
    // Opened only while there is something to delete.
    maxConnections: 1,
    queryTimeoutMs: settings.leaseMs,
  });

  watchEventLoop(settings.leaseMs);
  const observer = createObserver(metrics);
  const relay = startOutboxRelay(config, {
    settings,
    connection,
    routes: (own) => [...routesFromConfig(config, log), ...stripeRoutes(config, own, log)],
    metrics,
    log,
  });
  const worker = startWorker({
    ...settings,
    work,
    control,
    handlers,
    log,
    observe: {
      ...observer,
      finished: (event, outcome, durationMs) => {
        observer.finished(event, outcome, durationMs);
        // It may have appended messages.
        if (outcome === 'processed') relay?.hint();
      },
    },
  });
  const hints = config.worker.listen
    ? listenForHints({
        url: connection.url,
        onHint: () => worker.hint(),
        onProblem: (error) => log.warn('hints_lost', { error: messageOf(error) }),
      })
    : undefined;
  const pruner = config.worker.prune
    ? startPruner({
        database: pruning,
        name: settings.name,
        retention: config.retention,
        everyMs: config.worker.pruneEveryMs,
        log,
        observe: observer,
      })
    : undefined;
  reportGauges(metrics, { work, control }, () => worker.busySlots());
  let stopping = false;
  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    metrics,
    health: {
      notReadyBecause: () => {
        if (stopping) return Promise.resolve('shutting down');
        if (relay && !relay.healthy()) return Promise.resolve('the last look at the outbox failed');
        return Promise.resolve(worker.healthy() ? null : 'the last look at the inbox failed');
      },
    },
  });
  shutDownOnSignals(process, {
    deadlineMs: config.shutdownDeadlineMs,
    log,
    stop: async () => {
      stopping = true;
      await hints?.close();
      await pruner?.stop();
      await Promise.all([worker.drain(), relay?.drain()]);
      await admin.close();
      await Promise.all([work.close(), control.close(), pruning.close()]);
    },
  });
  log.info('worker_started', { worker: settings.name, slots: settings.slots, admin_port: admin.port });
}
