import { fileURLToPath } from 'node:url';
import type { Ports } from './ports.ts';
import type { Program } from './supervise.ts';

/** Two, so that a newcomer sees at once that workers are processes beside each other and that losing one loses nothing. */
export const workerCount = 2;

export interface Programs {
  readonly ingest: Program;
  readonly workers: readonly Program[];
}

/** The programs of one machine, all against one database. */
export function programsFor(options: {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  readonly host: string;
  readonly databaseUrl: string;
  /** The secret that was made for `stripe/billing`; null where the environment or a file has given one. */
  readonly generatedSecret: string | null;
  readonly ports: Ports;
}): Programs {
  const { env, home, host, databaseUrl, generatedSecret, ports } = options;
  const shared = { ...env, MAILROOM_HOME: home, DATABASE_URL: databaseUrl, HOST: host };
  const secret = generatedSecret === null ? {} : { STRIPE_WEBHOOK_SECRET: generatedSecret };
  // Nobody receives messages on a developer's machine; whoever names a sink gets them there.
  const unrouted = { OUTBOX_UNROUTED: 'log' };
  return {
    ingest: {
      name: 'ingest',
      script: scriptOf('ingest'),
      adminPort: ports.ingestAdmin,
      where: `port ${ports.deliveries}, admin ${ports.ingestAdmin}`,
      env: { ...shared, ...secret, PORT: String(ports.deliveries), ADMIN_PORT: String(ports.ingestAdmin) },
    },
    workers: ports.workerAdmin.map((adminPort, index) => ({
      name: `worker-${index + 1}`,
      script: scriptOf('worker'),
      adminPort,
      where: `admin ${adminPort}`,
      env: { ...unrouted, ...shared, ADMIN_PORT: String(adminPort) },
    })),
  };
}

function scriptOf(app: string): string {
  return fileURLToPath(new URL(`../../${app}/src/main.ts`, import.meta.url));
}
