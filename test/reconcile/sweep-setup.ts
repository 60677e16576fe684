import type { Database } from '@mailroom/db';
import {
  accessOf,
  asOnlyRunner,
  type EventSource,
  eventSourcesOf,
  type SweepResult,
  sweepEvents,
} from '@mailroom/reconcile';
import { testReceiver } from '../support/inbox-fixtures.ts';
import { shopifyToken } from '../support/shopify-fake.ts';

type Reconcile = NonNullable<Parameters<typeof accessOf>[0][number]['reconcile']>;

const nothing: Reconcile = { key: null, accounts: 'own', types: null, shop: null, apiBase: null };

/** The lists of one endpoint at a fake. */
export async function sourcesAt(
  fake: { readonly url: string },
  provider: 'stripe' | 'shopify',
  reconcile: Partial<Reconcile> = {},
): Promise<readonly EventSource[]> {
  const asked = {
    ...nothing,
    apiBase: fake.url,
    key: { value: shopifyToken },
    shop: 'fake.myshopify.com',
    ...reconcile,
  };
  const endpoint = { provider, scheme: provider, endpoint: 'main', options: {}, reconcile: asked };
  const [access] = accessOf([endpoint], { stripeApiKey: null, stripeApiBase: null, requestsPerSecond: 100 });
  if (!access) throw new Error('no access');
  return await eventSourcesOf(access, null);
}

export interface SweepSetup {
  readonly since?: Date;
  readonly until?: Date;
  readonly signal?: AbortSignal;
  readonly now?: Date;
  readonly onPage?: () => void;
}

/** Sweeps one list as the only runner, into the database. */
export async function sweep(database: Database, source: EventSource, setup: SweepSetup = {}): Promise<SweepResult> {
  const receiver = testReceiver(database);
  const request = { task: 'reconcile', holder: 'test', leaseMs: 60_000 };
  try {
    const run = await asOnlyRunner(database, request, (runner) =>
      sweepEvents(source, {
        database,
        receiver,
        runner,
        since: setup.since ?? null,
        until: setup.until ?? null,
        now: setup.now ?? new Date(),
        ledgerRetentionDays: 90,
        ...(setup.signal && { signal: setup.signal }),
        ...(setup.onPage && { onProgress: setup.onPage }),
      }),
    );
    if (run.outcome === 'busy') throw new Error(`${run.holder} is at it`);
    return run.result;
  } finally {
    await receiver.close();
  }
}

/** Everything that sweeps and receipts write. */
export async function emptyReconciliation(database: Database): Promise<void> {
  const tables = [
    'webhook_inbox',
    'webhook_delivery',
    'inbox_arrivals',
    'reconcile_cursors',
    'reconcile_coverage',
    'reconcile_runners',
    'findings',
    'operator_actions',
    'orders',
    'outbox',
    'told_facts',
    'ledger_entries',
    'invoices',
    'subscriptions',
  ];
  for (const table of tables) await database.pool.query(`delete from ${table}`);
}
