// Made by "npm run generate" from the migrated database. Do not edit.

import type { ColumnType } from "kysely";

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[]
  ? U[]
  : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S[], I[], U[]>
  : T[];

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

export type Numeric = ColumnType<string, number | string, number | string>;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface AccountBalances {
  account_token: string | null;
  balance: Numeric | null;
  currency: string | null;
  held: Numeric | null;
}

export interface AccountEntries {
  account_token: string;
  amount: Numeric;
  booked_at: Generated<Timestamp>;
  currency: string;
  endpoint: string;
  event_id: string;
  kind: string;
  preceding_token: string | null;
  provider: string;
  transaction_token: string;
}

export interface Accounts {
  account_token: string;
  contested: boolean;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  status: string;
  step: number;
  updated_at: Generated<Timestamp>;
}

export interface Anomalies {
  anomaly_id: Generated<Int8>;
  closed_at: Timestamp | null;
  detail: Json;
  kind: string;
  object_key: string;
  seen_at: Generated<Timestamp>;
}

export interface Cards {
  account_token: string | null;
  card_token: string;
  contested: boolean;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  state: string;
  step: number;
  updated_at: Generated<Timestamp>;
}

export interface CheckoutSessions {
  account: string | null;
  amount_total: Int8 | null;
  contested: boolean;
  currency: string | null;
  customer: string | null;
  payment: string;
  payment_intent: string | null;
  session_id: string;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  step: number;
  subscription: string | null;
  updated_at: Generated<Timestamp>;
}

export interface ComplianceRequests {
  customer_id: Int8 | null;
  done_at: Timestamp | null;
  done_by: string | null;
  due_at: Timestamp;
  kind: string;
  orders: ArrayType<Int8>;
  provider_request_id: Int8 | null;
  request_id: Generated<Int8>;
  requested_at: Generated<Timestamp>;
  shop: string;
}

export interface Disputes {
  account: string | null;
  amount: Int8;
  charge: string | null;
  contested: boolean;
  currency: string;
  dispute_id: string;
  reason: string | null;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  status: string;
  step: number;
  updated_at: Generated<Timestamp>;
}

export interface EffectResults {
  account: string | null;
  asked_at: Generated<Timestamp>;
  effect_key: string;
  generation: Generated<number>;
  generation_at: Generated<Timestamp>;
  known_by: string | null;
  operation: string;
  outbox_id: Int8;
  provider: string;
  recorded_at: Timestamp | null;
  request_hash: string;
  result: Json | null;
}

export interface FailureGroups {
  class: string;
  event_type: string;
  failure_group: string;
  failures: Generated<Int8>;
  first_release: string | null;
  first_seen_at: Generated<Timestamp>;
  last_release: string | null;
  last_seen_at: Generated<Timestamp>;
  message: string;
  provider: string;
  sqlstate: string | null;
}

export interface Findings {
  account: string;
  close_reason: string | null;
  closed_at: Timestamp | null;
  closed_by: string | null;
  endpoint: string;
  finding_id: Generated<Int8>;
  first_seen_at: Generated<Timestamp>;
  kind: string;
  last_seen_at: Generated<Timestamp>;
  object_key: string;
  ours: string | null;
  provider: string;
  reopened: Generated<number>;
  repair_body: Buffer | null;
  repair_headers: Json | null;
  repaired_at: Timestamp | null;
  theirs: string | null;
}

export interface Housekeeping {
  begun_at: Timestamp;
  chore: string;
  finished_at: Timestamp | null;
  held_by: string;
  held_until: Timestamp;
}

export interface InboxArrivals {
  endpoint: string;
  event_type: string;
  events: Int8;
  hour: Timestamp;
  provider: string;
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

export interface InboxObjects {
  endpoint: string;
  event_id: string;
  object_key: string;
  provider: string;
  since: Generated<Timestamp>;
}

export interface InboxRejections {
  body: Buffer | null;
  body_bytes: Int8;
  body_sha256: string;
  content_encoding: string | null;
  content_type: string | null;
  diagnosis: string;
  endpoint: string;
  explanation: string;
  header_names: string[];
  provider: string;
  reason: string;
  rejected_at: Generated<Timestamp>;
  rejection_id: Generated<Int8>;
  secret_label: string | null;
  skew_ms: Int8 | null;
}

export interface InboxSecretUses {
  day: Timestamp;
  endpoint: string;
  last_at: Timestamp;
  matches: Int8;
  provider: string;
  secret_label: string;
}

export interface InventoryLevels {
  available: Int8 | null;
  contested: boolean;
  inventory_item_id: Int8;
  location_id: Int8;
  shop: string;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  step: number;
  updated_at: Generated<Timestamp>;
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

export interface Orders {
  cancelled_at: Timestamp | null;
  contested: boolean;
  currency: string;
  financial_status: string | null;
  name: string | null;
  order_id: Int8;
  shop: string;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  step: number;
  total_price: Numeric;
  updated_at: Generated<Timestamp>;
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

export interface Pauses {
  canaries: Generated<number>;
  ended_at: Timestamp | null;
  ended_by: string | null;
  endpoint: string | null;
  event_type: string | null;
  failure_group: string | null;
  next_canary_at: Timestamp | null;
  opened_at: Generated<Timestamp>;
  opened_by: string;
  pause_id: Generated<Int8>;
  provider: string | null;
  reason: string;
  scope: string;
}

export interface Products {
  contested: boolean;
  handle: string | null;
  highest_price: Numeric | null;
  lowest_price: Numeric | null;
  product_id: Int8;
  shop: string;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  status: string | null;
  step: number;
  title: string;
  updated_at: Generated<Timestamp>;
  variants: number;
  vendor: string | null;
}

export interface ProviderLimits {
  hits: Generated<number>;
  limited_at: Generated<Timestamp>;
  not_before: Timestamp;
  provider: string;
  reason: string;
}

export interface ReconcileCoverage {
  account: string;
  endpoint: string;
  event_type: string;
  expected: number;
  hour: Timestamp;
  injected: number;
  late: number;
  provider: string;
  received: number;
  swept_at: Generated<Timestamp>;
}

export interface ReconcileCursors {
  account: string;
  endpoint: string;
  provider: string;
  swept_at: Generated<Timestamp>;
  swept_until: Timestamp;
}

export interface ReconcileRunners {
  holder: string;
  leased_until: Timestamp;
  since: Generated<Timestamp>;
  task: string;
  token: string;
}

export interface RefundEntries {
  amount: Int8;
  booked_at: Generated<Timestamp>;
  currency: string;
  endpoint: string;
  entry_id: Generated<Int8>;
  event_id: string;
  kind: string;
  provider: string;
  refund_id: string;
}

export interface Refunds {
  account: string | null;
  amount: Int8;
  charge: string | null;
  contested: boolean;
  currency: string;
  payment_intent: string | null;
  refund_id: string;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  status: string;
  step: number;
  updated_at: Generated<Timestamp>;
}

export interface Shops {
  shop: string;
  uninstalled_at: Timestamp;
}

export interface Subscriptions {
  account: string | null;
  cancel_at_period_end: boolean | null;
  contested: boolean;
  current_period_end: Timestamp | null;
  customer: string | null;
  snapshot_at: Timestamp;
  snapshot_event_id: string;
  stage: number;
  status: string;
  step: number;
  subscription_id: string;
  trial_end: Timestamp | null;
  updated_at: Generated<Timestamp>;
}

export interface ToldFacts {
  aggregate: string;
  fact: string;
  told_at: Generated<Timestamp>;
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
  body_sha256: Buffer | null;
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
  suspect: Generated<boolean>;
  total_attempts: Generated<number>;
}

/** Every table and view by its name, for Kysely: `Selectable<DB["webhook_inbox"]>` is a row as it is read. */
export interface DB {
  account_balances: AccountBalances;
  account_entries: AccountEntries;
  accounts: Accounts;
  anomalies: Anomalies;
  cards: Cards;
  checkout_sessions: CheckoutSessions;
  compliance_requests: ComplianceRequests;
  disputes: Disputes;
  effect_results: EffectResults;
  failure_groups: FailureGroups;
  findings: Findings;
  housekeeping: Housekeeping;
  inbox_arrivals: InboxArrivals;
  inbox_duplicates: InboxDuplicates;
  inbox_failures: InboxFailures;
  inbox_objects: InboxObjects;
  inbox_rejections: InboxRejections;
  inbox_secret_uses: InboxSecretUses;
  inventory_levels: InventoryLevels;
  invoices: Invoices;
  ledger_entries: LedgerEntries;
  mailroom_migrations: MailroomMigrations;
  operator_actions: OperatorActions;
  orders: Orders;
  outbox: Outbox;
  pauses: Pauses;
  products: Products;
  provider_limits: ProviderLimits;
  reconcile_coverage: ReconcileCoverage;
  reconcile_cursors: ReconcileCursors;
  reconcile_runners: ReconcileRunners;
  refund_entries: RefundEntries;
  refunds: Refunds;
  shops: Shops;
  subscriptions: Subscriptions;
  told_facts: ToldFacts;
  webhook_delivery: WebhookDelivery;
  webhook_events: WebhookEvents;
  webhook_inbox: WebhookInbox;
}
