import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartedProcess, startProcess } from '../support/start-process.ts';
import { billingSecret, connectSecret, retiredSecret } from './signed-request.ts';

export interface IngestProcess {
  readonly process: StartedProcess;
  readonly port: number;
  readonly adminPort: number;
  /** Read again at SIGHUP. */
  readonly endpointsFile: string;
  /** The text that Prometheus would read. */
  metrics(): Promise<string>;
  /** SIGTERM, and fails unless the process ends by itself with exit code 0. */
  stop(): Promise<void>;
}

export interface StartIngestOptions {
  readonly databaseUrl: string;
  /** The entries of the endpoints file; left out, stripe/billing and stripe/connect. */
  readonly endpoints?: readonly object[];
  /** Settings that differ from the defaults. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The real ingestor as a process of its own, on free ports. */
export async function startIngest(options: StartIngestOptions): Promise<IngestProcess> {
  const home = mkdtempSync(join(tmpdir(), 'mailroom-ingest-'));
  const file = join(home, 'mailroom.endpoints.json');
  writeFileSync(file, JSON.stringify({ endpoints: options.endpoints ?? stripeEndpoints }));
  const started = startProcess({
    script: 'apps/ingest/src/main.ts',
    env: {
      MAILROOM_HOME: home,
      MAILROOM_ENDPOINTS_FILE: file,
      BILLING_TEST_SECRET: billingSecret,
      RETIRED_TEST_SECRET: retiredSecret,
      CONNECT_TEST_SECRET: connectSecret,
      DATABASE_URL: options.databaseUrl,
      PORT: '0',
      ADMIN_PORT: '0',
      ...options.env,
    },
  });
  void started.exited.then(() => rmSync(home, { recursive: true, force: true }));
  const { port, adminPort } = readPorts(await started.waitForLine('"ingest_listening"'));

  return {
    process: started,
    port,
    adminPort,
    endpointsFile: file,
    metrics: async () => await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text(),
    stop: async () => {
      const { code, signal } = await started.stop();
      if (code !== 0) throw new Error(`the ingestor ended with ${code ?? signal}\n${started.lines.join('\n')}`);
    },
  };
}

function readPorts(line: string): { readonly port: number; readonly adminPort: number } {
  const listening = JSON.parse(line) as { port: number; admin_port: number };
  return { port: listening.port, adminPort: listening.admin_port };
}

const stripeEndpoints = [
  { provider: 'stripe', endpoint: 'billing', secrets: ['env:BILLING_TEST_SECRET', 'env:RETIRED_TEST_SECRET'] },
  { provider: 'stripe', endpoint: 'connect', secrets: ['env:CONNECT_TEST_SECRET'], maxBodyBytes: 20_000 },
];
