import type { Secret } from './secret.ts';
import type { SinkConfig } from './sink-config.ts';

/**
 * The validated configuration of one process, deeply frozen. Settings that the role does not read hold their defaults.
 *
 * `databaseUrl`, `stripeApiKey` and every `Secret.value` are plain strings to read, but not enumerable: JSON, `util.inspect` and the log
 * show `[redacted]`, and a spread copy lacks them.
 */
export interface Config {
  /** Absolute folder of the local database and the generated secret. */
  readonly home: string;
  /** Null: the local database under `home`. Not enumerable. */
  readonly databaseUrl: string | null;
  /** Not enumerable. */
  readonly stripeApiKey: string | null;
  /** Null: Stripe's own address. */
  readonly stripeApiBase: string | null;
  readonly release: string | null;
  readonly logLevel: LogLevel;
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** 0: a free port. */
  readonly adminPort: number;
  readonly shutdownDeadlineMs: number;
  readonly database: DatabaseConfig;
  readonly ingest: IngestConfig;
  readonly worker: WorkerConfig;
  readonly outbox: OutboxConfig;
  readonly reconcile: ReconcileConfig;
  /** How often a handler may fail on an event; written into the row at receipt. */
  readonly maxAttempts: number;
  readonly retention: RetentionConfig;
  /** Where providers reach the ingestors. */
  readonly publicUrl: string | null;
  /** Empty for the roles `worker` and `ops`, which neither verify nor ask anything. */
  readonly endpoints: readonly Endpoint[];
  /** Where messages of the outbox go. Empty for roles that send none. */
  readonly sinks: readonly SinkConfig[];
  /** What is probably a mistake and yet no reason to stop, a sentence each. Log them at start. Free of secrets. */
  readonly warnings: readonly string[];
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface DatabaseConfig {
  /** Of an ingestor. */
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** Whether statements are prepared by name, once a connection. */
  readonly prepare: boolean;
}

export interface IngestConfig {
  readonly answerDeadlineMs: number;
  readonly headerDeadlineMs: number;
  readonly bodyDeadlineMs: number;
  readonly lockTimeoutMs: number;
  readonly writesInFlight: number;
  readonly maxRowsPerWrite: number;
  readonly maxBytesPerWrite: number;
  readonly maxWaitingRows: number;
  readonly maxWaitingBytes: number;
}

/** How long things are kept, in days. */
export interface RetentionConfig {
  readonly ledgerDays: number;
  readonly bodyDays: number;
  readonly failureDays: number;
  readonly actionDays: number;
  readonly rejectionDays: number;
  readonly outboxDays: number;
  readonly findingDays: number;
}

export interface WorkerConfig {
  readonly slots: number;
  readonly batchRows: number;
  readonly maxHeldRows: number;
  readonly leaseMs: number;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  readonly transactionTimeoutMs: number;
  /** Whether to listen for hints of new work. */
  readonly listen: boolean;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** Whether to delete what is kept no longer. */
  readonly prune: boolean;
  readonly pruneEveryMs: number;
  readonly maxInfraRetries: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
}

export interface OutboxConfig {
  /** Whether the worker sends messages. */
  readonly relay: boolean;
  readonly sendsInFlight: number;
  readonly leaseMs: number;
  readonly sendTimeoutMs: number;
  readonly maxAttempts: number;
  /** What becomes of a message whose topic no sink takes. */
  readonly unrouted: 'keep' | 'log';
}

export interface ReconcileConfig {
  readonly requestsPerSecond: number;
}

/** How an endpoint asks its provider for what it missed. */
export interface EndpointReconcile {
  /** Null: none of its own; or the role is not `reconcile`, which alone reads it. */
  readonly key: Secret | null;
  /** Stripe: whose events the endpoint receives. */
  readonly accounts: 'own' | 'connected' | 'all';
  /** The event types that its registration asks for, `invoice.*` being all that begin so; null: as the provider says. */
  readonly types: readonly string[] | null;
  /** Shopify: `example.myshopify.com`. */
  readonly shop: string | null;
  /** Where the API is, for a proxy or a test; null: the provider's own address. */
  readonly apiBase: string | null;
}

/** One `POST /webhooks/:provider/:endpoint`. */
export interface Endpoint {
  /** Who sends: a provider of the registry, or a name of the team's own for one that speaks the scheme of a registered one. */
  readonly provider: string;
  /** The provider of the registry whose scheme verifies and reads the deliveries; usually `provider` itself. */
  readonly scheme: string;
  readonly endpoint: string;
  /** Of that scheme, as the file has them; judged by it. */
  readonly options: Readonly<Record<string, unknown>>;
  /** At least one, labels unique, in the order of the file. None for the role `reconcile`, which verifies nothing. */
  readonly secrets: readonly Secret[];
  /** How far a signed timestamp may lie in the past or in the future. */
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  /** Whether the record of a delivery that was not verified keeps its body. It is a stranger's, or it holds personal data. */
  readonly keepRejectedBodies: boolean;
  /** Null: the file does not say. */
  readonly reconcile: EndpointReconcile | null;
}
