import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IngestProcess, startIngest } from '../ingest/ingest-process.ts';
import { billingSecret, connectSecret } from '../ingest/signed-request.ts';
import { type Answer, runMailroom } from '../ops/run-mailroom.ts';
import type { StripeFake } from '../support/stripe-fake/start-stripe-fake.ts';

export interface MailroomBesideStripe {
  readonly ingest: IngestProcess;
  /** The real command line, with the API keys and without the signing secrets. */
  readonly mailroom: (...args: readonly string[]) => Promise<Answer>;
  readonly mailroomJson: <T>(...args: readonly string[]) => Promise<T>;
  readonly stop: () => Promise<void>;
}

/** The real ingestor, registered at the fake with an endpoint for the platform and one for connected accounts. */
export async function mailroomBesideStripe(databaseUrl: string, fake: StripeFake): Promise<MailroomBesideStripe> {
  const home = await mkdtemp(join(tmpdir(), 'mailroom-reconcile-'));
  const file = join(home, 'mailroom.endpoints.json');
  const endpoints = [
    { provider: 'stripe', endpoint: 'billing', secrets: ['env:BILLING_TEST_SECRET'], reconcile: { apiBase: fake.url } },
    {
      provider: 'stripe',
      endpoint: 'connect',
      secrets: ['env:CONNECT_TEST_SECRET'],
      reconcile: { apiBase: fake.url, accounts: 'connected' },
    },
  ];
  await writeFile(file, JSON.stringify({ endpoints }));
  const ingest = await startIngest({ databaseUrl, endpoints });
  const publicUrl = `http://127.0.0.1:${ingest.port}`;
  fake.endpoint({ url: `${publicUrl}/webhooks/stripe/billing`, secret: billingSecret });
  fake.endpoint({ url: `${publicUrl}/webhooks/stripe/connect`, secret: connectSecret, connect: true });
  const env = {
    MAILROOM_ENDPOINTS_FILE: file,
    MAILROOM_PUBLIC_URL: publicUrl,
    STRIPE_API_KEY: 'rk_test_ofTheFake',
    RECONCILE_REQUESTS_PER_SECOND: '100',
  };
  const mailroom = (...args: readonly string[]) => runMailroom(args, { url: databaseUrl, env });
  return {
    ingest,
    mailroom,
    mailroomJson: async <T>(...args: readonly string[]) => {
      const { stdout } = await mailroom(...args, '--json');
      return JSON.parse(stdout) as T;
    },
    stop: async () => {
      await ingest.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
