import { loadConfig } from '@mailroom/config';
import { silentLogger } from '@mailroom/kernel';
import { createMetrics } from '@mailroom/observability';
import { providers } from '@mailroom/providers';
import { Pool } from 'pg';
import { createBodyBudget, maxBodyBytesInMemory } from '../../../apps/ingest/src/body-budget.ts';
import { createCertificateSource } from '../../../apps/ingest/src/certificate-source.ts';
import { createEndpointTable } from '../../../apps/ingest/src/endpoint-table.ts';
import { createHttpServer } from '../../../apps/ingest/src/http-server.ts';
import { listen } from '../../../apps/ingest/src/listen.ts';
import { receiveWebhook } from '../../../apps/ingest/src/receive-webhook.ts';
import { createOutcomeRecorder } from '../../../apps/ingest/src/record-outcome.ts';
import { trackRequestsInFlight } from '../../../apps/ingest/src/requests-in-flight.ts';
import { createRoutes } from '../../../apps/ingest/src/routes.ts';
import { createAnswerSender } from '../../../apps/ingest/src/send-answer.ts';
import { serveTask } from '../bench-process.ts';
import { type FloorKind, floorReceiver } from './floor-receivers.ts';

export interface FloorJob {
  readonly url: string;
  readonly secret: string;
  readonly kind: FloorKind;
  readonly connections: number;
}

/** Mailroom's own server, part for part as apps/ingest/src/main.ts wires it, over another receiver. Serves until it is ended. */
serveTask<null>(async ({ url, secret, kind, connections }: FloorJob) => {
  const pool = new Pool({ connectionString: url, max: connections });
  const requests = trackRequestsInFlight();
  const config = loadConfig('ingest', { env: { STRIPE_WEBHOOK_SECRET: secret }, cwd: process.cwd(), providers });
  const endpoints = createEndpointTable(config.endpoints);
  const receiving = {
    ...config.ingest,
    receiver: floorReceiver(kind, pool),
    budget: createBodyBudget(maxBodyBytesInMemory),
    isShuttingDown: () => false,
    certificates: createCertificateSource({ timeoutMs: 1_500, nowMs: Date.now }),
    // Beside the acknowledging path, and without a database there is nowhere to write to.
    secretUses: { matched: () => undefined, close: () => Promise.resolve() },
  };
  const app = createRoutes({
    endpoints,
    receive: (found, exchange) => receiveWebhook(receiving, found, exchange),
    record: createOutcomeRecorder(createMetrics(config), silentLogger, { admit: () => false }),
    send: createAnswerSender(),
    notReadyBecause: () => Promise.resolve(null),
    onFault: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const server = createHttpServer({
    ...config.ingest,
    app,
    requests,
    onBroken: () => undefined,
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  return {
    info: { port },
    run: () => Promise.resolve(null),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await pool.end();
    },
  };
});
