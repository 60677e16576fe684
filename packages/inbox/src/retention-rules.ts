import { uuidv7Floor } from '@mailroom/kernel';

/** How long things are kept, in days. */
export interface Retention {
  readonly ledgerDays: number;
  readonly bodyDays: number;
  readonly failureDays: number;
  readonly actionDays: number;
  readonly rejectionDays: number;
  readonly outboxDays: number;
  readonly findingDays: number;
}

/** What is dropped of one table, and when. SQL speaks of the table as `t`; `$1` is the moment before which a row is old. */
export interface RetentionRule<Table extends string = PrunedTable> {
  readonly table: Table;
  /** For people. */
  readonly what: string;
  readonly keptFor: keyof Retention;
  /** The columns, with their types, in whose order the table is walked: unique together, and the first an index begins with. */
  readonly walk: Readonly<Record<string, 'bigint' | 'date' | 'text' | 'timestamptz' | 'uuid'>>;
  /** The columns of its primary key, where the walk needs more than these. */
  readonly key?: readonly string[];
  /** Since when a row is counted. */
  readonly age: string;
  /** Rows come by age in that order, as near as matters: the walk ends where a whole batch is too young. */
  readonly byAge: boolean;
  /** Where the walk ends at the latest, as a value of its only column. */
  readonly before?: (oldBeforeMs: number) => string;
  /** Only these are walked. */
  readonly among?: string;
  /** What must hold beside the age. */
  readonly when?: string;
}

const dayMs = 86_400_000;

const hasUnfinishedEvent = `select from webhook_inbox i where i.processed_at is null`;
const ofSameKey = 'i.provider = t.provider and i.endpoint = t.endpoint and i.event_id = t.event_id';

export type PrunedTable = (typeof rules)[number]['table'];

/**
 * Everything that is ever dropped, in this order; a new table is one entry here. What is not here is kept for ever: the business
 * tables, what `tellOnce` has told, and every event that is not finished, whatever its age, with its body and its failures.
 */
const rules = [
  {
    table: 'webhook_delivery',
    what: 'bodies of finished events',
    keptFor: 'bodyDays',
    // Ids are UUIDs of version 7, so the primary key is in the order of time and no other index is needed. A body that came
    // again has the old id and a new age.
    walk: { delivery_id: 'uuid' },
    before: (oldBeforeMs) => uuidv7Floor(oldBeforeMs + dayMs),
    age: 't.received_at',
    byAge: false,
    when: `not exists (${hasUnfinishedEvent} and i.delivery_id = t.delivery_id)`,
  },
  {
    table: 'webhook_inbox',
    what: 'finished events',
    keptFor: 'ledgerDays',
    walk: { processed_at: 'timestamptz', provider: 'text', endpoint: 'text', event_id: 'text' },
    key: ['provider', 'endpoint', 'event_id'],
    age: 't.processed_at',
    byAge: true,
    among: 't.processed_at is not null',
  },
  {
    table: 'inbox_duplicates',
    what: 'counts of duplicates',
    keptFor: 'ledgerDays',
    walk: { provider: 'text', endpoint: 'text', event_id: 'text' },
    age: 't.last_at',
    byAge: false,
    when: `not exists (select from webhook_inbox i where ${ofSameKey})`,
  },
  {
    table: 'inbox_failures',
    what: 'failed attempts',
    keptFor: 'failureDays',
    walk: { failure_id: 'bigint' },
    age: 't.failed_at',
    byAge: true,
    when: `not exists (${hasUnfinishedEvent} and ${ofSameKey})`,
  },
  {
    table: 'failure_groups',
    what: 'groups of failures',
    keptFor: 'failureDays',
    walk: { failure_group: 'text' },
    age: 't.last_seen_at',
    byAge: false,
    when: 'not exists (select from pauses p where p.ended_at is null and p.failure_group = t.failure_group)',
  },
  {
    table: 'inbox_rejections',
    what: 'rejected deliveries',
    keptFor: 'rejectionDays',
    walk: { rejection_id: 'bigint' },
    age: 't.rejected_at',
    byAge: true,
  },
  {
    table: 'outbox',
    what: 'messages that went out',
    keptFor: 'outboxDays',
    walk: { outbox_id: 'bigint' },
    age: 't.created_at',
    byAge: true,
    when: `(t.published_at < $1 or t.state = 'skipped')`,
  },
  {
    table: 'effect_results',
    what: 'recorded results of write-backs',
    // As long as the event is known that might ask again under the same key.
    keptFor: 'ledgerDays',
    walk: { effect_key: 'text' },
    age: 't.recorded_at',
    byAge: false,
    among: 't.recorded_at is not null',
    when: `not exists (select from outbox o where o.outbox_id = t.outbox_id and o.state not in ('published', 'skipped'))`,
  },
  {
    table: 'anomalies',
    what: 'closed anomalies',
    keptFor: 'findingDays',
    walk: { anomaly_id: 'bigint' },
    age: 't.closed_at',
    byAge: false,
    among: 't.closed_at is not null',
  },
  {
    table: 'findings',
    what: 'closed findings',
    keptFor: 'findingDays',
    walk: { finding_id: 'bigint' },
    age: 't.closed_at',
    byAge: false,
    among: 't.closed_at is not null',
  },
  {
    table: 'operator_actions',
    what: 'who did what',
    keptFor: 'actionDays',
    walk: { action_id: 'bigint' },
    age: 't.acted_at',
    byAge: true,
  },
  {
    table: 'pauses',
    what: 'ended pauses',
    keptFor: 'actionDays',
    walk: { pause_id: 'bigint' },
    age: 't.ended_at',
    byAge: false,
    among: 't.ended_at is not null',
  },
  {
    table: 'inbox_secret_uses',
    what: 'days on which secrets matched',
    keptFor: 'actionDays',
    walk: { provider: 'text', endpoint: 'text', secret_label: 'text', day: 'date' },
    age: 't.last_at',
    byAge: false,
  },
] as const satisfies readonly RetentionRule<string>[];

/** The table of rules, in the order in which they are followed. */
export const retentionRules: readonly RetentionRule[] = rules;
