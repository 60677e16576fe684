import { type Config, loadConfig, secretsOf } from '@mailroom/config';
import { createReceiver, createSecretUseRecorder } from '@mailroom/inbox';
import { messageOf } from '@mailroom/kernel';
import { createLogger, createMetrics, startAdminServer } from '@mailroom/observability';
import { providers } from '@mailroom/providers';
import { shutDownOnSignals } from '@mailroom/service';
import { createBodyBudget, maxBodyBytesInMemory } from './body-budget.ts';
import { createCertificateSource } from './certificate-source.ts';
import { closeHttpServer } from './close-http-server.ts';
import { createDatabaseProbe } from './database-probe.ts';
import { createEndpointTable } from './endpoint-table.ts';
import { createHttpServer } from './http-server.ts';
import { listen } from './listen.ts';
import { openLedger } from './open-ledger.ts';
import { receiveWebhook } from './receive-webhook.ts';
import { createOutcomeRecorder } from './record-outcome.ts';
import { reloadOnHangup } from './reload-endpoints.ts';
import { reportGauges } from './report-gauges.ts';
import { trackRequestsInFlight } from './requests-in-flight.ts';
import { createRoutes } from './routes.ts';
import { createAnswerSender } from './send-answer.ts';
import { createSignatureClinic } from './signature-clinic.ts';

try {
  await start(readConfig());
} catch (error) {
  // Whoever starts it reads what is wrong and what would be right; a stack would only hide that.
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

function readConfig(): Config {
  return loadConfig('ingest', { env: process.env, cwd: process.cwd(), providers });
}

async function start(config: Config): Promise<void> {
  const { ingest } = config;
  const log = createLogger({ level: config.logLevel, name: 'ingest', secrets: secretsOf(config) });
  for (const warning of config.warnings) log.warn('config_warning', { warning });
  const metrics = createMetrics({ endpoints: config.endpoints });
  metrics.processInfo.set({ role: 'ingest', release: config.release ?? 'unknown' }, 1);

  const database = await openLedger(config, log);
  const receiver = createReceiver(database, {
    ...ingest,
    maxAttempts: config.maxAttempts,
    log,
    onWrite: (rows, _deliveries, durationMs) => {
      metrics.writeGroupSize.observe({}, rows);
      metrics.writeDuration.observe({}, durationMs / 1000);
    },
  });

  const endpoints = createEndpointTable(config.endpoints);
  const secretUses = createSecretUseRecorder(database, log);
  const clinic = createSignatureClinic({ database, endpoints, metrics, log });
  const probe = createDatabaseProbe(database);
  const requests = trackRequestsInFlight();
  const budget = createBodyBudget(maxBodyBytesInMemory);
  // Short, for a client that is told to come again must be told in time.
  const certificates = createCertificateSource({ timeoutMs: 1500, nowMs: Date.now });
  let shuttingDown = false;
  const isShuttingDown = () => shuttingDown;
  const notReadyBecause = async () => {
    if (shuttingDown) return 'shutting down';
    return (await probe.answers()) ? null : 'the database does not answer';
  };

  const app = createRoutes({
    endpoints,
    receive: (endpoint, exchange) =>
      receiveWebhook({ ...ingest, receiver, budget, isShuttingDown, certificates, secretUses }, endpoint, exchange),
    record: createOutcomeRecorder(metrics, log, clinic),
    send: createAnswerSender(),
    notReadyBecause,
    onFault: (error) => log.error('request_failed', { error }),
  });
  const server = createHttpServer({
    ...ingest,
    app,
    requests,
    onBroken: (status, code) => {
      const outcome = status === 408 ? 'too_slow' : 'malformed';
      metrics.deliveries.add({ provider: 'unknown', endpoint: 'unknown', outcome });
      log.debug('request_broken', { status, code });
    },
  });
  reportGauges(metrics, database, requests);

  const admin = await startAdminServer({
    host: config.host,
    port: config.adminPort,
    metrics,
    health: { notReadyBecause },
  });
  reloadOnHangup(process, { readConfig, endpoints, metrics, log });
  shutDownOnSignals(process, {
    deadlineMs: config.shutdownDeadlineMs,
    log,
    stop: async () => {
      shuttingDown = true;
      await closeHttpServer(server, requests);
      await Promise.all([receiver.close(), secretUses.close(), clinic.close()]);
      await admin.close();
      await database.close();
    },
  });
  const port = await listen(server, config);
  log.info('ingest_listening', { address: config.host, port, admin_port: admin.port });
}
