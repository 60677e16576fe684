import type { Role, Setting } from './setting.ts';
import { choice, integer, text } from './setting.ts';

const everyone: readonly Role[] = ['ingest', 'worker', 'ops', 'reconcile', 'local'];
const servers: readonly Role[] = ['ingest', 'worker', 'local'];
const ingest: readonly Role[] = ['ingest', 'local'];
const worker: readonly Role[] = ['worker', 'local'];
const reconcile: readonly Role[] = ['reconcile', 'local'];
const callers: readonly Role[] = ['worker', 'reconcile', 'local'];
const receivers: readonly Role[] = ['ingest', 'reconcile', 'local'];
const housekeepers: readonly Role[] = ['worker', 'ops', 'local'];

/**
 * Every setting that comes from the environment: the one table from which parsing, validation, `describeConfig` and
 * docs/configuration.md derive. A new setting is one entry here and its place in `Config`.
 */
// biome-ignore format: one setting, two or three lines, so that the table is read as a table
export const settings = [
  text('MAILROOM_HOME', 'home', everyone, { kind: 'path', default: '.mailroom' },
    'The folder of the local database and of the generated Stripe secret.'),
  text('DATABASE_URL', 'databaseUrl', everyone, { kind: 'databaseUrl', default: null },
    'The PostgreSQL to use, 15 or later; unset: the local database under MAILROOM_HOME.'),
  text('MAILROOM_ENDPOINTS_FILE', 'endpointsFile', receivers, { kind: 'path', default: 'mailroom.endpoints.json' },
    'The JSON file of endpoints and of where their secrets are; a file named here must exist.'),
  text('STRIPE_WEBHOOK_SECRET', 'stripeWebhookSecret', ingest, { kind: 'secret', default: null },
    'The secret of the endpoint stripe/billing when there is no endpoints file.'),
  text('STRIPE_API_KEY', 'stripeApiKey', callers, { kind: 'secret', default: null },
    "The key of Stripe's API, or `file:PATH` where it is; for write-backs and what was missed. docs/write-backs.md."),
  text('STRIPE_API_BASE', 'stripeApiBase', callers, { kind: 'url', default: null },
    "Where Stripe's API is reached, for a proxy or a test; unset: Stripe's own address."),
  text('MAILROOM_PUBLIC_URL', 'publicUrl', reconcile, { kind: 'url', default: null },
    'Where providers reach the ingestors, up to and without `/webhooks`; to know which registrations are ours.'),
  text('MAILROOM_SINKS_FILE', 'sinksFile', worker, { kind: 'path', default: 'mailroom.sinks.json' },
    'The JSON file of sinks: where messages of the outbox go, docs/outbox.md; a file named here must exist.'),
  text('MAILROOM_RELEASE', 'release', everyone, { kind: 'text', default: null },
    'The release that runs, a version or a commit; kept with every failed attempt.'),
  choice('LOG_LEVEL', 'logLevel', everyone, { default: 'info', choices: ['debug', 'info', 'warn', 'error', 'silent'] },
    'The least level that is logged.'),
  text('HOST', 'host', servers, { kind: 'host', default: '127.0.0.1' },
    'The address to listen on; 0.0.0.0 or :: for every interface, as a container needs.'),
  integer('PORT', 'port', ingest, { default: 8080, min: 0, max: 65_535 },
    'The port for deliveries; 0 picks a free one.'),
  integer('ADMIN_PORT', 'adminPort', servers, { default: 8081, min: 0, max: 65_535 },
    'The port for metrics and health, not for the public; 0 picks a free one.'),
  // Kubernetes kills 30 s after SIGTERM (terminationGracePeriodSeconds); 5 s are left for the exit itself.
  integer('SHUTDOWN_DEADLINE_MS', 'shutdownDeadlineMs', servers, { default: 25_000, min: 100, max: 3_600_000 },
    'How long work in hand may go on after SIGTERM or SIGINT before the process exits without it.'),
  // With the default backoff 25 attempts span a day and a half on average: a deployment that broke something in the
  // evening is still being tried when somebody mends it the next day. River and Sidekiq chose the same number.
  integer('MAX_ATTEMPTS', 'maxAttempts', ['ingest', 'worker', 'reconcile', 'local'], { default: 25, min: 1, max: 1000 },
    'How often a handler may fail on an event before it is exhausted; written into the row at receipt.'),

  // The first two are compared with what is known of each provider (docs/providers.md); docs/retention.md has the whole story.
  integer('LEDGER_RETENTION_DAYS', 'retention.ledgerDays', everyone, { default: 90, min: 1, max: 3650 },
    'How long the ledger knows a finished event, so that one sent again is a duplicate; longer than any provider redelivers.'),
  integer('BODY_RETENTION_DAYS', 'retention.bodyDays', everyone, { default: 30, min: 1, max: 3650 },
    'How long the bytes of a delivery are kept once all of its events are finished; they may hold personal data.'),
  integer('FAILURE_RETENTION_DAYS', 'retention.failureDays', housekeepers, { default: 90, min: 1, max: 3650 },
    'How long failed attempts of finished events are kept.'),
  integer('ACTION_RETENTION_DAYS', 'retention.actionDays', housekeepers, { default: 365, min: 1, max: 3650 },
    'How long it is kept who did what and why, which pauses there were, and on which days each secret matched.'),
  // The ingestors bound the number of these, whatever their age.
  integer('REJECTION_RETENTION_DAYS', 'retention.rejectionDays', housekeepers, { default: 7, min: 1, max: 3650 },
    'How long the record of a delivery that was not verified is kept.'),
  integer('OUTBOX_RETENTION_DAYS', 'retention.outboxDays', housekeepers, { default: 30, min: 1, max: 3650 },
    'How long a message is kept after it went out or was skipped.'),
  integer('FINDING_RETENTION_DAYS', 'retention.findingDays', housekeepers, { default: 90, min: 1, max: 3650 },
    'How long a finding is kept after it was closed.'),

  // Opened only when wanted: three writes in flight, readiness, the count of duplicates, and some for a bad moment.
  integer('DATABASE_MAX_CONNECTIONS', 'database.maxConnections', ingest, { default: 10, min: 2, max: 500 },
    'The most connections an ingestor opens; a worker opens WORKER_SLOTS and two more.'),
  integer('DATABASE_CONNECT_TIMEOUT_MS', 'database.connectTimeoutMs', everyone, { default: 1500, min: 50, max: 60_000 },
    'How long to wait for a connection, be it a new one or a free one of the pool.'),
  // On even behind a pooler: one that loses prepared statements is noticed at the first, and costs that one attempt.
  choice('DATABASE_PREPARED_STATEMENTS', 'database.prepare', servers, { default: 'on', choices: ['on', 'off'] },
    'Whether statements are prepared by name; off by itself once a transaction-mode pooler loses one.'),

  // Shopify gives up after 5 s, so a later answer would be no answer.
  integer('INGEST_ANSWER_DEADLINE_MS', 'ingest.answerDeadlineMs', ingest, { default: 2000, min: 50, max: 5000 },
    'How long a delivery waits for its commit, counted from its last byte, before it is answered 503.'),
  integer('INGEST_HEADER_DEADLINE_MS', 'ingest.headerDeadlineMs', ingest, { default: 5000, min: 50, max: 60_000 },
    'How long a client may take to send the head of a request.'),
  integer('INGEST_BODY_DEADLINE_MS', 'ingest.bodyDeadlineMs', ingest, { default: 10_000, min: 50, max: 300_000 },
    'How long a client may take to send the body of a request.'),
  integer('INGEST_LOCK_TIMEOUT_MS', 'ingest.lockTimeoutMs', ingest, { default: 1000, min: 10, max: 2500 },
    'How long a delivery that is tried alone waits for a row that another transaction is writing.'),
  // Measured: with three in flight, batches of 16 to 32 rows form by themselves and no timer is needed.
  integer('INGEST_WRITES_IN_FLIGHT', 'ingest.writesInFlight', ingest, { default: 3, min: 1, max: 100 },
    'How many group commits run at once.'),
  integer('INGEST_MAX_ROWS_PER_WRITE', 'ingest.maxRowsPerWrite', ingest, { default: 200, min: 1, max: 10_000 },
    'The most events that share a commit; a single delivery may hold more.'),
  integer('INGEST_MAX_BYTES_PER_WRITE', 'ingest.maxBytesPerWrite', ingest, { default: 4_194_304, min: 1024, max: 268_435_456 },
    'The most body bytes that share a commit; a single delivery may hold more.'),
  // What one process commits within the answer deadline when all goes well (13,500 rows/s measured, less over HTTP).
  integer('INGEST_MAX_WAITING_ROWS', 'ingest.maxWaitingRows', ingest, { default: 10_000, min: 1, max: 1_000_000 },
    'How many events may wait for a commit; beyond it deliveries are answered 503.'),
  integer('INGEST_MAX_WAITING_BYTES', 'ingest.maxWaitingBytes', ingest, { default: 67_108_864, min: 1024, max: 4_294_967_296 },
    'How many body bytes may wait for a commit; beyond it deliveries are answered 503.'),

  integer('WORKER_SLOTS', 'worker.slots', worker, { default: 10, min: 1, max: 1000 },
    'How many transactions one worker runs at once, each on a connection of its own.'),
  // The knee of the curve when measured; a transaction also begins no further event after 50 ms.
  integer('WORKER_BATCH_ROWS', 'worker.batchRows', worker, { default: 50, min: 1, max: 1000 },
    'The most events that share a transaction when there is a backlog; 1: each has its own.'),
  integer('WORKER_MAX_HELD_ROWS', 'worker.maxHeldRows', worker, { default: 1000, min: 1, max: 100_000 },
    'The most events one worker claims ahead while its handlers are quick.'),
  integer('WORKER_LEASE_MS', 'worker.leaseMs', worker, { default: 60_000, min: 100, max: 86_400_000 },
    'How long a claimed event belongs to a worker that no longer renews it.'),
  integer('WORKER_STATEMENT_TIMEOUT_MS', 'worker.statementTimeoutMs', worker, { default: 10_000, min: 10, max: 43_200_000 },
    'The longest that one statement of a handler may run.'),
  integer('WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS', 'worker.idleInTransactionTimeoutMs', worker, { default: 10_000, min: 10, max: 43_200_000 },
    'The longest that a handler may hold its transaction open without a statement.'),
  // Below SHUTDOWN_DEADLINE_MS, so that a handler which began just before SIGTERM can end.
  integer('WORKER_TRANSACTION_TIMEOUT_MS', 'worker.transactionTimeoutMs', worker, { default: 20_000, min: 10, max: 43_200_000 },
    "The longest that a handler's whole transaction may take; the server enforces it from PostgreSQL 17 on."),
  integer('WORKER_POLL_MIN_MS', 'worker.pollMinMs', worker, { default: 50, min: 1, max: 60_000 },
    'How soon a worker looks for work again while there is some.'),
  integer('WORKER_POLL_MAX_MS', 'worker.pollMaxMs', worker, { default: 1000, min: 1, max: 60_000 },
    'How soon a worker looks for work again when there was none for a while.'),
  choice('WORKER_LISTEN', 'worker.listen', worker, { default: 'on', choices: ['on', 'off'] },
    'Whether a worker listens for hints of new work, on one more connection; off behind a pooler in transaction mode.'),
  choice('WORKER_PRUNE', 'worker.prune', worker, { default: 'on', choices: ['on', 'off'] },
    'Whether workers delete what is kept no longer, one of them at a time; off where `mailroom prune` is run on a schedule.'),
  integer('WORKER_PRUNE_EVERY_MS', 'worker.pruneEveryMs', worker, { default: 3_600_000, min: 1000, max: 604_800_000 },
    'How long after one pass over everything that has a retention the next begins.'),
  integer('MAX_INFRA_RETRIES', 'worker.maxInfraRetries', worker, { default: 20, min: 0, max: 1000 },
    'How often an event may meet a deadlock, a lost connection or a shutdown at no cost to its attempts.'),
  integer('WORKER_BACKOFF_BASE_MS', 'worker.backoffBaseMs', worker, { default: 1000, min: 1, max: 3_600_000 },
    'The unit of the delay after a failure, which is drawn between 0 and base times 2 to the power of attempts.'),
  integer('WORKER_BACKOFF_CAP_MS', 'worker.backoffCapMs', worker, { default: 21_600_000, min: 1, max: 604_800_000 },
    'The longest delay after a failure.'),

  // Stripe lets a live key do 100 a second and a test key 25; others need some of it too.
  integer('RECONCILE_REQUESTS_PER_SECOND', 'reconcile.requestsPerSecond', reconcile, { default: 10, min: 1, max: 100 },
    'How many requests a second go to one provider; Shopify gets 2 at most, which is what it allows.'),

  choice('OUTBOX_RELAY', 'outbox.relay', worker, { default: 'on', choices: ['on', 'off'] },
    'Whether a worker sends messages of the outbox, over three more connections.'),
  integer('OUTBOX_SENDS_IN_FLIGHT', 'outbox.sendsInFlight', worker, { default: 10, min: 1, max: 1000 },
    'How many messages one worker sends at once, each of another aggregate.'),
  integer('OUTBOX_LEASE_MS', 'outbox.leaseMs', worker, { default: 60_000, min: 100, max: 86_400_000 },
    'How long a claimed message belongs to a worker that no longer renews it.'),
  // Below SHUTDOWN_DEADLINE_MS, so that a message which was begun just before SIGTERM can end.
  integer('OUTBOX_SEND_TIMEOUT_MS', 'outbox.sendTimeoutMs', worker, { default: 15_000, min: 100, max: 600_000 },
    'The longest that one attempt at sending a message may take, whatever its sink says.'),
  integer('OUTBOX_MAX_ATTEMPTS', 'outbox.maxAttempts', worker, { default: 25, min: 1, max: 1000 },
    'How often sending a message may fail before it needs review; delays are those of WORKER_BACKOFF_*.'),
  choice('OUTBOX_UNROUTED', 'outbox.unrouted', worker, { default: 'keep', choices: ['keep', 'log'] },
    'Messages whose topic no sink takes: kept until one does, or logged and done with; `npm start` sets `log`.'),
] as const satisfies readonly Setting[];

/** The dotted keys of the table. */
export type SettingKey = (typeof settings)[number]['key'];

type ValueOf<S> = S extends { kind: 'integer' }
  ? number
  : S extends { choices: readonly (infer Choice)[] }
    ? Choice
    : S extends { default: null }
      ? string | null
      : string;

/** A value for every key, typed by its kind. */
export type SettingValues = {
  readonly [S in (typeof settings)[number] as S['key']]: ValueOf<S>;
};
