import { type Config, secretsOf } from '@mailroom/config';
import { messageOf } from '@mailroom/kernel';
import type { Metrics, ServiceLogger } from '@mailroom/observability';
import type { EndpointTable } from './endpoint-table.ts';

export interface ReloadDependencies {
  /** Throws `config_invalid`, whose message names every problem and holds no secret. */
  readonly readConfig: () => Config;
  readonly endpoints: EndpointTable;
  readonly metrics: Metrics;
  readonly log: ServiceLogger;
}

/**
 * SIGHUP reads the endpoints file and its secrets again. All of it counts from one moment on, or, where anything is wrong,
 * nothing of it. A request that has begun goes on with what it found; every other setting stays as it was at the start.
 */
export function reloadOnHangup(
  process: NodeJS.Process,
  { readConfig, endpoints, metrics, log }: ReloadDependencies,
): void {
  process.on('SIGHUP', () => {
    try {
      const config = readConfig();
      // Before anything can log them.
      log.hide(secretsOf(config));
      metrics.knowEndpoints(config.endpoints);
      endpoints.replace(config.endpoints);
      for (const warning of config.warnings) log.warn('config_warning', { warning });
      const secrets = config.endpoints.reduce((sum, endpoint) => sum + endpoint.secrets.length, 0);
      log.info('endpoints_reloaded', { endpoints: config.endpoints.length, secrets });
    } catch (error) {
      log.error('endpoints_not_reloaded', { error: messageOf(error) });
    }
  });
}
