// Made by "npm run generate" from the migrated database. Do not edit.

import type { ColumnType } from "kysely";

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Int8 = ColumnType<string, bigint | number | string, bigint | number | string>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface Anomalies {
  anomaly_id: Generated<Int8>;
  closed_at: Timestamp | null;
  detail: Json;
  kind: string;
  object_key: string;
  seen_at: Generated<Timestamp>;
}

export interface InboxDuplicates {
  count: Int8;
  endpoint: string;
  event_id: string;
  first_at: Timestamp;
  last_at: Timestamp;
  provider: string;
}

export interface InboxFailures {
  attempt: number;
  class: string;
  endpoint: string;
  event_id: string;
  failed_at: Generated<Timestamp>;
  failure_group: string | null;
  failure_id: Generated<Int8>;
  message: string;
  provider: string;
  release: string | null;
  sqlstate: string | null;
  stack: string | null;
  started_at: Timestamp | null;
  worker: string;
}

export interface Invoices {
  account: string | null;
  amount_due: Int8 | null;
  amount_paid: Int8 | null;
  currency: string | null;
  customer: string | null;
  failed_payments: Generated<number>;
  invoice_id: string;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  status: string;
  subscription: string | null;
  updated_at: Generated<Timestamp>;
}

export interface LedgerEntries {
  amount: Int8;
  booked_at: Generated<Timestamp>;
  currency: string;
  endpoint: string;
  entry_id: Generated<Int8>;
  event_id: string;
  invoice_id: string;
  kind: string;
  provider: string;
}

export interface MailroomMigrations {
  applied_at: Generated<Timestamp>;
  checksum: string;
  name: string;
}

export interface OperatorActions {
  acted_at: Generated<Timestamp>;
  action: string;
  action_id: Generated<Int8>;
  actor: string;
  affected: Int8;
  reason: string;
  selection: Json;
}

export interface Outbox {
  aggregate: string;
  attempts: Generated<number>;
  available_at: Generated<Timestamp>;
  claim_token: Generated<Int8>;
  claimed_by: string | null;
  claimed_until: Timestamp | null;
  created_at: Generated<Timestamp>;
  endpoint: string | null;
  event_id: string | null;
  last_error: string | null;
  outbox_id: Generated<Int8>;
  payload: Json;
  provider: string | null;
  published_at: Timestamp | null;
  result: Json | null;
  state: Generated<string>;
  topic: string;
}

export interface WebhookDelivery {
  body: Buffer;
  content_type: string | null;
  delivery_id: string;
  endpoint: string;
  headers: Generated<Json>;
  provider: string;
  received_at: Generated<Timestamp>;
}

export interface WebhookEvents {
  account: string | null;
  api_version: string | null;
  attempts: number | null;
  available_at: Timestamp | null;
  body: Buffer | null;
  content_type: string | null;
  endpoint: string | null;
  event_id: string | null;
  event_type: string | null;
  failure_group: string | null;
  headers: Json | null;
  infra_retries: number | null;
  last_error: string | null;
  leased_by: string | null;
  leased_until: Timestamp | null;
  livemode: boolean | null;
  max_attempts: number | null;
  object_key: string | null;
  origin: string | null;
  payload: Json | null;
  payload_problem: string | null;
  processed_at: Timestamp | null;
  provider: string | null;
  provider_time: Timestamp | null;
  received_at: Timestamp | null;
  secret_label: string | null;
  state: string | null;
  state_reason: string | null;
  total_attempts: number | null;
}

export interface WebhookInbox {
  account: string | null;
  api_version: string | null;
  attempts: Generated<number>;
  available_at: Generated<Timestamp>;
  delivery_id: string;
  endpoint: string;
  event_id: string;
  event_type: string;
  failure_group: string | null;
  held_by: string | null;
  infra_retries: Generated<number>;
  item_path: string[] | null;
  last_error: string | null;
  lease_token: string | null;
  leased_by: string | null;
  leased_until: Timestamp | null;
  livemode: boolean | null;
  max_attempts: number;
  object_key: string | null;
  origin: Generated<string>;
  processed_at: Timestamp | null;
  provider: string;
  provider_time: Timestamp | null;
  received_at: Generated<Timestamp>;
  secret_label: string | null;
  state: Generated<string>;
  state_reason: string | null;
  total_attempts: Generated<number>;
}

/** Every table and view by its name, for Kysely: `Selectable<DB["webhook_inbox"]>` is a row as it is read. */
export interface DB {
  anomalies: Anomalies;
  inbox_duplicates: InboxDuplicates;
  inbox_failures: InboxFailures;
  invoices: Invoices;
  ledger_entries: LedgerEntries;
  mailroom_migrations: MailroomMigrations;
  operator_actions: OperatorActions;
  outbox: Outbox;
  webhook_delivery: WebhookDelivery;
  webhook_events: WebhookEvents;
  webhook_inbox: WebhookInbox;
}
