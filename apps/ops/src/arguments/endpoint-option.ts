import type { Tx } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { InvalidArgumentError } from 'commander';
import { endpointsWithEvents } from '../queries/endpoints.ts';

export interface EndpointChoice {
  readonly provider: string;
  /** Null: every endpoint of the provider. */
  readonly endpoint: string | null;
}

/** Reads `provider/endpoint` or `provider`. */
export function endpointOption(text: string): EndpointChoice {
  const [provider, endpoint, ...rest] = text.split('/');
  if (!provider || endpoint === '' || rest.length > 0) {
    throw new InvalidArgumentError('Write provider/endpoint, for example stripe/billing, or a provider alone.');
  }
  return { provider, endpoint: endpoint ?? null };
}

/**
 * Throws `usage` for an endpoint that has no events, and says which have: a misspelt name must not look like an empty
 * result.
 */
export async function knownEndpoint(tx: Tx, choice: EndpointChoice): Promise<EndpointChoice> {
  const known = await endpointsWithEvents(tx);
  const found = known.some(
    ({ provider, endpoint }) =>
      provider === choice.provider && (choice.endpoint === null || endpoint === choice.endpoint),
  );
  if (found) return choice;
  const names = known.map(({ provider, endpoint }) => `${provider}/${endpoint}`).join(', ');
  const wanted = choice.endpoint === null ? choice.provider : `${choice.provider}/${choice.endpoint}`;
  throw new CodedError(
    'unknown_endpoint',
    `no event has ever come in at ${wanted}. ${names === '' ? 'The ledger is empty.' : `Endpoints with events: ${names}`}`,
  );
}
