import { type Endpoint, type Secret, validityOf } from '@mailroom/config';
import { type Scheme, schemeOf } from '@mailroom/providers';

/** A configured endpoint with the scheme that verifies and reads its deliveries, made once from its options. */
export interface OpenEndpoint extends Omit<Endpoint, 'scheme' | 'options'> {
  readonly scheme: Scheme;
}

export interface EndpointTable {
  /** Both names come from a URL; only a configured pair is found. */
  find(provider: string, endpoint: string): OpenEndpoint | undefined;
  all(): readonly OpenEndpoint[];
  /** From now on these are the endpoints. A request that has begun goes on with what it found. */
  replace(endpoints: readonly Endpoint[]): void;
}

export function createEndpointTable(endpoints: readonly Endpoint[]): EndpointTable {
  let byPath = opened(endpoints);
  return {
    find: (provider, endpoint) => byPath.get(`${provider}/${endpoint}`),
    all: () => [...byPath.values()],
    replace: (others) => {
      byPath = opened(others);
    },
  };
}

/** The secrets that count at a moment, and so the number of them, depend on the clock alone and on nothing of a request. */
export function validSecrets({ secrets }: OpenEndpoint, atMs: number): readonly Secret[] {
  return secrets.filter((secret) => validityOf(secret, atMs) === 'valid');
}

function opened(endpoints: readonly Endpoint[]): ReadonlyMap<string, OpenEndpoint> {
  // The configuration was checked against the same registry.
  return new Map(
    endpoints.map(({ scheme, options, ...endpoint }) => [
      `${endpoint.provider}/${endpoint.endpoint}`,
      { ...endpoint, scheme: schemeOf(scheme, options) },
    ]),
  );
}
