import type { Endpoint } from '@mailroom/config';
import { findProvider, type Provider } from '@mailroom/providers';

/** A configured endpoint with the provider that reads it. */
export interface OpenEndpoint extends Omit<Endpoint, 'provider'> {
  readonly provider: Provider;
}

export interface EndpointTable {
  /** Both names come from a URL; only a configured pair is found. */
  find(provider: string, endpoint: string): OpenEndpoint | undefined;
}

export function createEndpointTable(endpoints: readonly Endpoint[]): EndpointTable {
  const byPath = new Map<string, OpenEndpoint>();
  for (const endpoint of endpoints) {
    const provider = findProvider(endpoint.provider);
    // The configuration was checked against the same registry.
    if (provider) byPath.set(`${endpoint.provider}/${endpoint.endpoint}`, { ...endpoint, provider });
  }
  return { find: (provider, endpoint) => byPath.get(`${provider}/${endpoint}`) };
}
