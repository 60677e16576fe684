/** One row of the table of log events. */
export interface LogEvent {
  /** The value of `event` in the line: stable, for searches and alerts. */
  readonly event: string;
  /** The levels it is logged at. */
  readonly levels: readonly ('debug' | 'info' | 'warn' | 'error')[];
  /** The fields beside `level`, `time`, `name`, `pid`, `host` and `event`; a question mark: not in every line. */
  readonly fields: readonly string[];
  /** What happened, and where it is not plain, what to do. */
  readonly meaning: string;
}

/** What every line about a delivery has. */
const delivery = ['provider', 'endpoint', 'outcome', 'duration_ms'];

/**
 * Every event that Mailroom logs: the one table, from which docs/metrics.md derives; a test compares it with the names in
 * the sources. Durations end with `_ms`. No field holds a payload, a signature, a secret or personal data.
 */
// biome-ignore format: one event, two lines, so that the table is read as a table
export const logEvents: readonly LogEvent[] = [
  { event: 'config_warning', levels: ['warn'], fields: ['warning'],
    meaning: 'Something in the configuration is probably a mistake, such as a variable that is no setting.' },
  { event: 'ingest_listening', levels: ['info'], fields: ['address', 'port', 'admin_port'],
    meaning: 'The ingestor accepts deliveries.' },
  { event: 'delivery_stored', levels: ['debug'], fields: [...delivery, 'stored?', 'duplicates?'],
    meaning: 'A delivery was committed, or was known; answered 200.' },
  { event: 'delivery_answered', levels: ['info'], fields: [...delivery, 'handshake'],
    meaning: 'A verified ping, challenge or empty batch was answered as its provider asks. There was nothing to store.' },
  { event: 'delivery_quarantined', levels: ['warn'], fields: [...delivery, 'stored', 'duplicates', 'quarantined'],
    meaning: 'A verified delivery could not be read. Its bytes are kept for a person; answered 200.' },
  { event: 'delivery_rejected', levels: ['debug', 'warn'], fields: [...delivery, 'reason', 'detail'],
    meaning: 'A delivery was not verified; answered 401. The reason is one of mailroom_deliveries_rejected_total. At debug beyond a few a second.' },
  { event: 'rejection_diagnosed', levels: ['warn'], fields: ['provider', 'endpoint', 'diagnosis', 'explanation'],
    meaning: 'What the signature clinic found behind a rejection; `mailroom rejections` shows it too. docs/signatures.md says what to do.' },
  { event: 'rejection_not_recorded', levels: ['warn'], fields: ['error'],
    meaning: 'The record of a rejection could not be written. The rejection itself stands.' },
  { event: 'secret_uses_not_written', levels: ['warn'], fields: ['rows', 'error'],
    meaning: 'When secrets last matched could not be written. It is written with the next.' },
  { event: 'endpoints_reloaded', levels: ['info'], fields: ['endpoints', 'secrets'],
    meaning: 'After SIGHUP the endpoints file and its secrets were read again and hold from now on.' },
  { event: 'endpoints_not_reloaded', levels: ['error'], fields: ['error'],
    meaning: 'After SIGHUP the endpoints file was wrong; `error` lists every problem. The old endpoints and secrets stay.' },
  { event: 'delivery_refused', levels: ['debug', 'info'], fields: delivery,
    meaning: 'A request that could not be taken: no such endpoint (at debug), too large, too slow, broken off, or shutting down.' },
  { event: 'delivery_failed', levels: ['warn', 'error'], fields: [...delivery, 'class?', 'error?', 'detail?'],
    meaning: 'A delivery could not be verified (`unverifiable`) or committed in time; answered 503, so the provider sends it again.' },
  { event: 'request_broken', levels: ['debug'], fields: ['status', 'code'],
    meaning: 'Bytes that are not HTTP, or a head that took too long.' },
  { event: 'request_failed', levels: ['error'], fields: ['error'],
    meaning: 'A defect of the ingestor; answered 503.' },
  { event: 'database_connection_lost', levels: ['warn'], fields: ['error'],
    meaning: 'An idle connection broke. The pool opens another when one is wanted.' },
  { event: 'prepared_statements_off', levels: ['warn'], fields: ['error'],
    meaning: 'A pooler lost a prepared statement; none is prepared from now on. DATABASE_PREPARED_STATEMENTS=off says so from the start.' },
  { event: 'worker_started', levels: ['info'], fields: ['worker', 'slots', 'admin_port'],
    meaning: 'The worker looks for work.' },
  { event: 'attempt_finished', levels: ['info', 'warn', 'error'], fields: ['key', 'event_type', 'attempt', 'worker', 'outcome', 'duration_ms', 'class?', 'reason?', 'error?'],
    meaning: 'One attempt at one event. Warnings: `retried`, and `stale` (another worker had taken over; nothing was written). Errors: `exhausted` and `rejected`, for a person must look, and `not_recorded`, whose lease runs out so that the event is claimed again.' },
  { event: 'claim_failed', levels: ['warn'], fields: ['error'],
    meaning: 'A worker could not look for work, usually because the database is away. It tries again.' },
  { event: 'leases_not_renewed', levels: ['warn'], fields: ['rows', 'error'],
    meaning: 'Leases of waiting events could not be renewed. Another worker may take them; nothing is done twice.' },
  { event: 'parked_rearmed', levels: ['info'], fields: ['rows'],
    meaning: 'Events that had no handler were set to pending, because this worker has one.' },
  { event: 'held_released', levels: ['info'], fields: ['rows'],
    meaning: 'Events of a pause that has ended were set to pending.' },
  { event: 'pauses_not_read', levels: ['warn'], fields: ['error'],
    meaning: 'The pauses in force could not be read; the last known ones hold. It is repeated.' },
  { event: 'breaker_opened', levels: ['error'], fields: ['pause', 'provider', 'event_type', 'reason'],
    meaning: 'A handler failed above the rate of the breaker. Its events wait; one is tried now and then, and the first success closes it.' },
  { event: 'breaker_closed', levels: ['info'], fields: ['pause'],
    meaning: 'A canary succeeded; the events that waited are released.' },
  { event: 'hints_lost', levels: ['warn'], fields: ['error'],
    meaning: 'The connection for LISTEN broke or cannot be had, as behind a transaction-mode pooler. The worker polls; set WORKER_LISTEN=off to be asked no more.' },
  { event: 'sweep_failed', levels: ['warn'], fields: ['error'],
    meaning: 'The look for parked events failed. It is repeated.' },
  { event: 'claims_returned', levels: ['info'], fields: ['rows'],
    meaning: 'On shutdown a worker gave back events that it had not begun, at no cost to their attempts.' },
  { event: 'duplicates_not_counted', levels: ['warn'], fields: ['rows', 'duplicates', 'error'],
    meaning: 'The count of redeliveries could not be written. Only the statistics suffer.' },
  { event: 'shutdown_started', levels: ['info'], fields: ['signal'],
    meaning: 'SIGTERM or SIGINT arrived; work in hand is being finished.' },
  { event: 'shutdown_finished', levels: ['info'], fields: [],
    meaning: 'Everything in hand was finished; exit code 0.' },
  { event: 'shutdown_deadline_passed', levels: ['error'], fields: ['deadline_ms'],
    meaning: 'Work in hand took longer than SHUTDOWN_DEADLINE_MS; exit code 1. What was cut off is rolled back and done again.' },
  { event: 'shutdown_failed', levels: ['error'], fields: ['error'],
    meaning: 'Stopping went wrong; exit code 1.' },
  { event: 'migration_applied', levels: ['info'], fields: ['migration'],
    meaning: 'A migration was applied and committed.' },
  { event: 'database_is_ahead', levels: ['warn'], fields: ['unknown'],
    meaning: 'The database has migrations that this release does not know: a newer release ran before. Nothing is changed.' },
  { event: 'migration_connection_broken', levels: ['warn'], fields: ['error'],
    meaning: 'The connection that migrates broke. A migration that had not committed is rolled back.' },
  { event: 'localdb_started', levels: ['info'], fields: ['pid', 'port', 'data'],
    meaning: 'The local PostgreSQL accepts connections.' },
  { event: 'localdb_stopped', levels: ['info'], fields: ['pid'],
    meaning: 'The local PostgreSQL has stopped cleanly.' },
  { event: 'localdb_ended_by_itself', levels: ['error'], fields: ['pid'],
    meaning: 'The local PostgreSQL ended and nobody had asked it to.' },
  { event: 'localdb_stale_pid', levels: ['info'], fields: ['pid'],
    meaning: 'A pid file of a server that is gone was cleared away; the data recovers by itself.' },
  { event: 'localdb_taken_over', levels: ['warn'], fields: ['pid'],
    meaning: 'A server that a crashed parent had left behind was stopped before a new one began.' },
  { event: 'localdb_start_retried', levels: ['warn'], fields: ['attempt'],
    meaning: 'The local PostgreSQL did not start at the first try, usually because its port was taken meanwhile.' },
  { event: 'localdb_stop_forced', levels: ['warn'], fields: ['pid'],
    meaning: 'The local PostgreSQL did not stop in time and was made to; it recovers at its next start.' },
  { event: 'localdb_guard_lost', levels: ['warn'], fields: ['pid'],
    meaning: 'The process that stops the local PostgreSQL when its parent dies has itself ended.' },
];
