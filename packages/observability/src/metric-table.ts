import { inboxStates } from '@mailroom/kernel';
import {
  attemptOutcomes,
  deliveryOutcomes,
  diagnoses,
  outboxStates,
  prunedTables,
  rejectionReasons,
  sendOutcomes,
} from './label-values.ts';
import type { Metric } from './metric.ts';
import { reconciliationMetrics } from './reconciliation-metrics.ts';

const receiver = { provider: 'provider', endpoint: 'endpoint' } as const;

/** Around the 2 s answer deadline and the 5 s after which Shopify gives up. */
const ackSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5] as const;
const handlerSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const groupRows = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;
const attemptCounts = [1, 2, 3, 5, 10, 15, 25] as const;

/**
 * Every metric of Mailroom: the one table from which the registry, the typed handles and docs/metrics.md derive. A new
 * metric is one entry here.
 */
export const metricTable = {
  deliveries: {
    type: 'counter',
    name: 'mailroom_deliveries_total',
    labels: { ...receiver, outcome: deliveryOutcomes },
    help: 'Requests to webhook endpoints by how they ended.',
    from: ['ingest'],
  },
  rejected: {
    type: 'counter',
    name: 'mailroom_deliveries_rejected_total',
    labels: { ...receiver, reason: rejectionReasons },
    help: 'Deliveries that were not verified, by reason.',
    from: ['ingest'],
  },
  diagnosed: {
    type: 'counter',
    name: 'mailroom_rejections_diagnosed_total',
    labels: { ...receiver, diagnosis: diagnoses },
    help: 'Deliveries that were not verified, by what the signature clinic found behind it (docs/signatures.md); not_diagnosed beyond a few a second.',
    from: ['ingest'],
  },
  received: {
    type: 'counter',
    name: 'mailroom_events_received_total',
    labels: receiver,
    help: 'Events committed to the inbox for the first time.',
    from: ['ingest'],
  },
  duplicate: {
    type: 'counter',
    name: 'mailroom_events_duplicate_total',
    labels: receiver,
    help: 'Events that were known already.',
    from: ['ingest'],
  },
  quarantined: {
    type: 'counter',
    name: 'mailroom_events_quarantined_total',
    labels: receiver,
    help: 'Verified events that could not be read.',
    from: ['ingest'],
  },
  ackDuration: {
    type: 'histogram',
    name: 'mailroom_ack_duration_seconds',
    labels: { ...receiver, outcome: deliveryOutcomes },
    help: 'From the start of a request to its answer.',
    from: ['ingest'],
    buckets: ackSeconds,
  },
  writeGroupSize: {
    type: 'histogram',
    name: 'mailroom_write_group_rows',
    labels: {},
    help: 'Events that shared one commit.',
    from: ['ingest'],
    buckets: groupRows,
  },
  writeDuration: {
    type: 'histogram',
    name: 'mailroom_write_duration_seconds',
    labels: {},
    help: 'How long one group commit took.',
    from: ['ingest'],
    buckets: ackSeconds,
  },
  requestsInFlight: {
    type: 'gauge',
    name: 'mailroom_in_flight_requests',
    labels: {},
    help: 'Requests that have begun and are not answered.',
    from: ['ingest'],
  },
  claimed: {
    type: 'counter',
    name: 'mailroom_events_claimed_total',
    labels: {},
    help: 'Events that this worker has claimed.',
    from: ['worker'],
  },
  attempts: {
    type: 'counter',
    name: 'mailroom_attempts_total',
    labels: { provider: 'provider', event_type: 'event_type', outcome: attemptOutcomes },
    help: 'Attempts by how they ended.',
    from: ['worker'],
  },
  attemptsNeeded: {
    type: 'histogram',
    name: 'mailroom_event_attempts',
    labels: { outcome: attemptOutcomes },
    help: 'How many attempts an event had taken when it came to its end.',
    from: ['worker'],
    buckets: attemptCounts,
  },
  handlerDuration: {
    type: 'histogram',
    name: 'mailroom_handler_duration_seconds',
    labels: { provider: 'provider', event_type: 'event_type' },
    help: 'One attempt from its lock to its commit or rollback.',
    from: ['worker'],
    buckets: handlerSeconds,
  },
  slotsBusy: {
    type: 'gauge',
    name: 'mailroom_busy_slots',
    labels: {},
    help: 'Events that this worker is processing.',
    from: ['worker'],
  },
  exhausted: {
    type: 'counter',
    name: 'mailroom_events_exhausted_total',
    labels: { provider: 'provider', event_type: 'event_type' },
    help: 'Events that used up their attempts and now wait for a person.',
    from: ['worker'],
  },
  backlog: {
    type: 'gauge',
    name: 'mailroom_inbox_events',
    labels: { state: inboxStates },
    help: 'Events in the inbox by state; large counts are cut off at 100000.',
    from: ['worker'],
  },
  oldestAge: {
    type: 'gauge',
    name: 'mailroom_oldest_due_age_seconds',
    labels: {},
    help: 'Age of the oldest event that is due and that nobody has claimed; 0 when there is none.',
    from: ['worker'],
  },
  sends: {
    type: 'counter',
    name: 'mailroom_outbox_sends_total',
    labels: { sink: 'process', outcome: sendOutcomes },
    help: 'Attempts at sending messages of the outbox, by sink and by how they ended.',
    from: ['worker'],
  },
  sendDuration: {
    type: 'histogram',
    name: 'mailroom_outbox_send_duration_seconds',
    labels: { sink: 'process' },
    help: 'One attempt at sending a message, until it was recorded.',
    from: ['worker'],
    buckets: handlerSeconds,
  },
  outboxMessages: {
    type: 'gauge',
    name: 'mailroom_outbox_messages',
    labels: { state: outboxStates },
    help: 'Messages of the outbox that have not left, by state; large counts are cut off at 100000.',
    from: ['worker'],
  },
  outboxOldestAge: {
    type: 'gauge',
    name: 'mailroom_outbox_oldest_due_age_seconds',
    labels: {},
    help: 'Age of the oldest message that is due and that nobody has claimed; 0 when there is none.',
    from: ['worker'],
  },
  pruned: {
    type: 'counter',
    name: 'mailroom_pruned_rows_total',
    labels: { table: prunedTables },
    help: 'Rows that this worker has deleted because they are kept no longer (docs/retention.md).',
    from: ['worker'],
  },
  pruneAge: {
    type: 'gauge',
    name: 'mailroom_prune_age_seconds',
    labels: {},
    help: 'Since the last whole pass over what is kept no longer, by whichever process; missing before the first.',
    from: ['worker'],
  },
  ...reconciliationMetrics,
  poolConnections: {
    type: 'gauge',
    name: 'mailroom_pool_connections',
    labels: { pool: ['main', 'work', 'control', 'relay'], state: ['busy', 'idle'] },
    help: 'Database connections of this process.',
    from: ['ingest', 'worker'],
  },
  poolWaiting: {
    type: 'gauge',
    name: 'mailroom_pool_waiting_callers',
    labels: { pool: ['main', 'work', 'control', 'relay'] },
    help: 'Callers that wait for a connection.',
    from: ['ingest', 'worker'],
  },
  collectFailures: {
    type: 'counter',
    name: 'mailroom_collect_failures_total',
    labels: {},
    help: 'Scrapes for which some gauges could not be read, usually because the database did not answer.',
    from: ['ingest', 'worker'],
  },
  processInfo: {
    type: 'gauge',
    name: 'mailroom_process_info',
    labels: { role: 'process', release: 'process' },
    help: 'Always 1; tells what runs.',
    from: ['ingest', 'worker'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** The keys of the table: the names of the handles. */
export type MetricKey = keyof typeof metricTable;
