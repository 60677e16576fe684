import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProvider, type Scheme, schemeOf } from '@mailroom/providers';
import type { SampleDelivery, Sender } from './delivery.ts';
import { startProcess } from './start-process.ts';

/**
 * Two endpoints of each provider. What reaches both is stored twice, because it is two receipts: so a handler meets one event
 * twice, which a single endpoint's inbox would keep from it. Real accounts do this whenever two of their endpoints ask for the
 * same event.
 */
export const endpoints = ['kit', 'kit-again'] as const;
export type KitEndpoint = (typeof endpoints)[number];

/** The real ingestor, in a process of its own, on a free port. */
export interface Ingestor {
  /** Signs a delivery now and posts it. Resolves when the ingestor has answered 200, so it is committed; else throws. */
  readonly deliver: (delivery: SampleDelivery, endpoint: KitEndpoint) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts it with endpoints for all that the deliveries need. */
export async function startIngestor(databaseUrl: string, deliveries: readonly SampleDelivery[]): Promise<Ingestor> {
  const senders = sendersOf(deliveries);
  const home = await mkdtemp(join(tmpdir(), 'mailroom-kit-'));
  const file = join(home, 'mailroom.endpoints.json');
  const entries = [...senders.values()].flatMap(({ provider, scheme, options, variable }) =>
    endpoints.map((endpoint) => ({ provider, endpoint, scheme, options, secrets: [`env:${variable}`] })),
  );
  await writeFile(file, JSON.stringify({ endpoints: entries }));
  const started = startProcess({
    script: 'apps/ingest/src/main.ts',
    env: {
      ...Object.fromEntries([...senders.values()].map(({ variable, secret }) => [variable, secret])),
      MAILROOM_HOME: home,
      MAILROOM_ENDPOINTS_FILE: file,
      DATABASE_URL: databaseUrl,
      PORT: '0',
      ADMIN_PORT: '0',
    },
  });
  const line = await started.waitForLine('"ingest_listening"');
  const { port } = JSON.parse(line) as { port: number };

  return {
    async deliver(delivery, endpoint) {
      const { signer, secret } = senders.get(delivery.provider) ?? missing(delivery.provider);
      const signed = signer.sign(delivery.body, secret, Date.now());
      if (!signed) throw new Error(`${delivery.provider} cannot sign the body of ${delivery.name}`);
      const response = await fetch(`http://127.0.0.1:${port}/webhooks/${delivery.provider}/${endpoint}`, {
        method: 'POST',
        headers: { ...delivery.headers, ...signed.headers },
        body: new Uint8Array(signed.body),
      });
      if (response.status === 200) return;
      const why = started.lines.slice(-5).join('\n');
      throw new Error(`the ingestor answered ${response.status} to ${delivery.name}:\n${why}`);
    },
    async stop() {
      await started.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

interface KnownSender extends Sender {
  readonly provider: string;
  readonly signer: Scheme;
  /** The environment variable that carries its secret. */
  readonly variable: string;
}

function sendersOf(deliveries: readonly SampleDelivery[]): ReadonlyMap<string, KnownSender> {
  const senders = new Map<string, KnownSender>();
  for (const { provider, sender } of deliveries) {
    if (senders.has(provider)) continue;
    const known = sender ?? exampleOf(provider);
    const variable = `KIT_SECRET_${senders.size}`;
    senders.set(provider, { ...known, provider, signer: schemeOf(known.scheme, known.options), variable });
  }
  return senders;
}

function exampleOf(provider: string): Sender {
  const { example } = findProvider(provider) ?? missing(provider);
  return { scheme: provider, options: example.options, secret: example.secrets[0] };
}

function missing(provider: string): never {
  throw new Error(`no provider ${provider}: give the delivery a \`sender\`, which says whose scheme it has`);
}
