import { CodedError } from '@mailroom/kernel';
import type { Config } from './config.ts';
import { secretsOfDatabaseUrl } from './database-url.ts';
import { formatProblem } from './problem.ts';
import { type ConfigSources, type Resolution, resolveConfig } from './resolve.ts';
import { seal } from './secret.ts';
import type { Role } from './setting.ts';
import { secretsOfSink } from './sink-config.ts';

/**
 * Reads and checks what a role needs, from the environment and the endpoints file. Variables that only other roles read
 * are not looked at. The role `local` generates the secret of `stripe/billing` when it has no other (see
 * `ensureLocalSecret`); nothing else is written.
 *
 * Throws `config_invalid`: a heading, then all problems, one a line (name, what was found, what would be right), with no
 * secret in any of them.
 */
export function loadConfig(role: Role, sources: ConfigSources): Config {
  const resolution = resolveConfig(role, sources, true);
  const { problems } = resolution;
  if (problems.length === 0) return assemble(resolution);
  const heading = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const lines = problems.map((problem) => `  ${formatProblem(problem)}`);
  throw new CodedError('config_invalid', [`${heading} in the configuration of ${role}:`, ...lines].join('\n'));
}

/**
 * Every secret text that a configuration holds: the endpoints' secrets and keys, the API key and the password of the database
 * URL. For the logger, which strikes them out of every line.
 */
export function secretsOf(config: Config): readonly string[] {
  const ofEndpoints = config.endpoints.flatMap(({ secrets, reconcile }) =>
    [...secrets, ...(reconcile?.key ? [reconcile.key] : [])].map(({ value }) => value),
  );
  const ofDatabase = config.databaseUrl === null ? [] : secretsOfDatabaseUrl(config.databaseUrl);
  const ofSinks = config.sinks.flatMap(secretsOfSink).map(({ value }) => value);
  return [...ofEndpoints, ...ofSinks, ...ofDatabase, ...(config.stripeApiKey === null ? [] : [config.stripeApiKey])];
}

function assemble({ values: v, endpoints, sinks, warnings }: Resolution): Config {
  const open: Omit<Config, 'databaseUrl' | 'stripeApiKey'> = {
    home: v.home,
    release: v.release,
    logLevel: v.logLevel,
    host: v.host,
    port: v.port,
    adminPort: v.adminPort,
    shutdownDeadlineMs: v.shutdownDeadlineMs,
    maxAttempts: v.maxAttempts,
    retention: {
      ledgerDays: v['retention.ledgerDays'],
      bodyDays: v['retention.bodyDays'],
      failureDays: v['retention.failureDays'],
      actionDays: v['retention.actionDays'],
      rejectionDays: v['retention.rejectionDays'],
      outboxDays: v['retention.outboxDays'],
      findingDays: v['retention.findingDays'],
    },
    database: {
      maxConnections: v['database.maxConnections'],
      connectTimeoutMs: v['database.connectTimeoutMs'],
      prepare: v['database.prepare'] === 'on',
    },
    ingest: {
      answerDeadlineMs: v['ingest.answerDeadlineMs'],
      headerDeadlineMs: v['ingest.headerDeadlineMs'],
      bodyDeadlineMs: v['ingest.bodyDeadlineMs'],
      lockTimeoutMs: v['ingest.lockTimeoutMs'],
      writesInFlight: v['ingest.writesInFlight'],
      maxRowsPerWrite: v['ingest.maxRowsPerWrite'],
      maxBytesPerWrite: v['ingest.maxBytesPerWrite'],
      maxWaitingRows: v['ingest.maxWaitingRows'],
      maxWaitingBytes: v['ingest.maxWaitingBytes'],
    },
    worker: {
      slots: v['worker.slots'],
      batchRows: v['worker.batchRows'],
      maxHeldRows: v['worker.maxHeldRows'],
      leaseMs: v['worker.leaseMs'],
      statementTimeoutMs: v['worker.statementTimeoutMs'],
      idleInTransactionTimeoutMs: v['worker.idleInTransactionTimeoutMs'],
      transactionTimeoutMs: v['worker.transactionTimeoutMs'],
      listen: v['worker.listen'] === 'on',
      pollMinMs: v['worker.pollMinMs'],
      pollMaxMs: v['worker.pollMaxMs'],
      prune: v['worker.prune'] === 'on',
      pruneEveryMs: v['worker.pruneEveryMs'],
      maxInfraRetries: v['worker.maxInfraRetries'],
      backoffBaseMs: v['worker.backoffBaseMs'],
      backoffCapMs: v['worker.backoffCapMs'],
    },
    outbox: {
      relay: v['outbox.relay'] === 'on',
      sendsInFlight: v['outbox.sendsInFlight'],
      leaseMs: v['outbox.leaseMs'],
      sendTimeoutMs: v['outbox.sendTimeoutMs'],
      maxAttempts: v['outbox.maxAttempts'],
      unrouted: v['outbox.unrouted'],
    },
    reconcile: { requestsPerSecond: v['reconcile.requestsPerSecond'] },
    publicUrl: v.publicUrl,
    stripeApiBase: v.stripeApiBase,
    endpoints: endpoints.map(({ endpoint }) => endpoint),
    sinks: sinks.map(({ sink }) => sink),
    warnings,
  };
  return seal(deepFreeze(open), { databaseUrl: v.databaseUrl, stripeApiKey: v.stripeApiKey });
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
