import { type Config, loadConfig } from '@mailroom/config';
import type { Database } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { providers } from '@mailroom/providers';
import { accessOf, asOnlyRunner, type ProviderAccess, type Runner } from '@mailroom/reconcile';
import type { EndpointChoice } from '../arguments/endpoint-option.ts';
import { withDatabase } from '../connect.ts';
import type { World } from '../world.ts';

/** What every reconciliation works with. */
export interface Reconciliation {
  readonly database: Database;
  readonly config: Config;
  readonly runner: Runner;
  /** The endpoints that were chosen, and whether their providers can be asked. */
  readonly endpoints: readonly ProviderAccess[];
  readonly signal: AbortSignal;
}

export interface ReconciliationRequest {
  /** Null: all. */
  readonly endpoint: EndpointChoice | null;
  readonly signal: AbortSignal;
}

export interface Busy {
  readonly outcome: 'busy';
  readonly holder: string;
  readonly since: Date;
  readonly leasedUntil: Date;
}

/** Opens the database and the providers' APIs, and runs `work` where nobody else reconciles right now. */
export async function reconciling<T>(
  world: World,
  { endpoint, signal }: ReconciliationRequest,
  work: (reconciliation: Reconciliation) => Promise<T>,
): Promise<Busy | { readonly outcome: 'ran'; readonly result: T }> {
  const config = loadConfig('reconcile', { env: world.env, cwd: world.cwd, providers });
  const { requestsPerSecond } = config.reconcile;
  const { stripeApiKey, stripeApiBase } = config;
  const chosen = accessOf(config.endpoints, { stripeApiKey, stripeApiBase, requestsPerSecond, signal }).filter(
    ({ endpoint: at }) =>
      endpoint === null ||
      (at.provider === endpoint.provider && (endpoint.endpoint === null || at.endpoint === endpoint.endpoint)),
  );
  if (chosen.length === 0) throw new CodedError('unknown_endpoint', 'the configuration has no such endpoint.');
  const request = { task: 'reconcile', holder: world.process, leaseMs };
  return await withDatabase(world, (database) =>
    asOnlyRunner(database, request, (runner) => work({ database, config, runner, endpoints: chosen, signal })),
  );
}

/** `stripe/billing`, with the account where it is asked for by name. */
export function placeOf({ provider, endpoint }: { readonly provider: string; readonly endpoint: string }): string {
  return `${provider}/${endpoint}`;
}

// Longer than one request may take with all its repetitions.
const leaseMs = 5 * 60_000;
