import type { Endpoint } from '@mailroom/config';
import { type Scheme, schemeOf } from '@mailroom/providers';

/** A configured endpoint with the scheme that verifies and reads its deliveries, made once from its options. */
export interface OpenEndpoint extends Omit<Endpoint, 'scheme' | 'options'> {
  readonly scheme: Scheme;
}

export interface EndpointTable {
  /** Both names come from a URL; only a configured pair is found. */
  find(provider: string, endpoint: string): OpenEndpoint | undefined;
}

export function createEndpointTable(endpoints: readonly Endpoint[]): EndpointTable {
  const byPath = new Map<string, OpenEndpoint>();
  for (const { scheme, options, ...endpoint } of endpoints) {
    // The configuration was checked against the same registry.
    byPath.set(`${endpoint.provider}/${endpoint.endpoint}`, { ...endpoint, scheme: schemeOf(scheme, options) });
  }
  return { find: (provider, endpoint) => byPath.get(`${provider}/${endpoint}`) };
}
