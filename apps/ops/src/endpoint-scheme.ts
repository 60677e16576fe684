import { loadConfig } from '@mailroom/config';
import { CodedError, type EventKey } from '@mailroom/kernel';
import { findProvider, providers, type Scheme, schemeOf } from '@mailroom/providers';
import { visible } from './terminal/visible.ts';
import type { World } from './world.ts';

/**
 * How the deliveries of an endpoint are read: as the endpoints file says where this command can see it, else as the provider of
 * that name reads without options. Throws `endpoint_unknown` where neither says it.
 */
export function schemeOfEndpoint(world: World, { provider, endpoint }: Omit<EventKey, 'eventId'>): Scheme {
  const configured = configuredEndpoints(world).find((at) => at.provider === provider && at.endpoint === endpoint);
  if (configured !== undefined) return schemeOf(configured.scheme, configured.options);
  const plain = findProvider(provider)?.configure({});
  if (plain?.outcome === 'configured') return plain.scheme;
  throw new CodedError(
    'endpoint_unknown',
    `nothing here says how deliveries of ${visible(`${provider}/${endpoint}`)} are read. Run this where the ingestor's ` +
      'endpoints file and its secrets are.',
  );
}

/** The operator's machine need not have the ingestor's secrets, and without them its configuration is not whole. */
function configuredEndpoints(world: World) {
  try {
    return loadConfig('ingest', { env: world.env, cwd: world.cwd, providers }).endpoints;
  } catch (error) {
    if (error instanceof CodedError && error.code === 'config_invalid') return [];
    throw error;
  }
}
