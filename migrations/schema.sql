-- What all migrations together make. Made by "npm run generate"; read it, do not edit or apply it.

-- Functions may be checked only when the tables they name are there.
set check_function_bodies = off;

CREATE OR REPLACE FUNCTION mailroom_json(body bytea)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return ltrim(convert_from(body, 'UTF8'), chr(65279))::jsonb;
exception when others then
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION mailroom_json_problem(body bytea)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  perform ltrim(convert_from(body, 'UTF8'), chr(65279))::jsonb;
  return null;
exception when others then
  return sqlerrm;
end
$function$;

CREATE OR REPLACE FUNCTION mailroom_retry(keys text[], actor text, reason text)
 RETURNS TABLE(key text, outcome text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  wanted record;
  row_state text;
  row_has_body boolean;
  retried text[] := '{}';
begin
  if reason is null or btrim(reason) = '' then
    raise exception 'mailroom_retry needs a reason' using errcode = '22023';
  end if;
  for wanted in
    select k, p, e, substr(k, length(p) + length(e) + 3) as id
    from (select distinct unnest(mailroom_retry.keys) as k) as given,
         lateral (select split_part(k, '/', 1) as p, split_part(k, '/', 2) as e) as parts
    order by p collate "C", e collate "C", k collate "C"
  loop
    update webhook_inbox i
    set state = 'pending', state_reason = null, held_by = null, attempts = 0, infra_retries = 0, suspect = false,
        available_at = now(), lease_token = null, leased_by = null, leased_until = null
    from (
      select x.provider, x.endpoint, x.event_id from webhook_inbox x
      where x.provider = wanted.p and x.endpoint = wanted.e and x.event_id = wanted.id
        and x.state in ('pending', 'held', 'exhausted', 'rejected', 'parked')
        and x.lease_token is null
        and exists (select from webhook_delivery d where d.delivery_id = x.delivery_id)
      for update skip locked
    ) as free
    where i.provider = free.provider and i.endpoint = free.endpoint and i.event_id = free.event_id;
    if found then
      retried := retried || wanted.k;
      key := wanted.k; outcome := 'retried';
    else
      select x.state, exists (select from webhook_delivery d where d.delivery_id = x.delivery_id)
      into row_state, row_has_body from webhook_inbox x
      where x.provider = wanted.p and x.endpoint = wanted.e and x.event_id = wanted.id;
      key := wanted.k;
      outcome := case
        when not found then 'not_found'
        when row_state in ('processed', 'ignored', 'quarantined') then row_state
        when not row_has_body then 'body_expired'
        else 'leased'
      end;
    end if;
    return next;
  end loop;
  insert into operator_actions (actor, action, reason, selection, affected)
  values (actor, 'retry', reason, jsonb_build_object('keys', to_jsonb(mailroom_retry.keys), 'retried', to_jsonb(retried)), cardinality(retried));
end
$function$;

create table account_entries (
  transaction_token text not null,
  account_token text not null,
  kind text not null,
  amount numeric not null,
  currency text not null,
  preceding_token text,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  booked_at timestamp with time zone not null default now(),
  constraint account_entries_pkey PRIMARY KEY (transaction_token),
  constraint entry_amount_is_a_sum CHECK (amount >= 0::numeric AND amount < 'Infinity'::numeric),
  constraint entry_currency_is_iso CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint entry_kind_is_known CHECK (kind = ANY (ARRAY['authorization'::text, 'clearing'::text, 'deposit'::text])),
  constraint preceding_token_is_bounded CHECK (char_length(preceding_token) >= 1 AND char_length(preceding_token) <= 255),
  constraint transaction_token_is_bounded CHECK (char_length(transaction_token) >= 1 AND char_length(transaction_token) <= 255)
);

create table accounts (
  account_token text not null,
  status text not null,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint accounts_pkey PRIMARY KEY (account_token),
  constraint account_stage_is_of_status CHECK (stage =
CASE
    WHEN status = 'UNVERIFIED'::text THEN 0
    WHEN status = ANY (ARRAY['LIMITED'::text, 'ACTIVE'::text, 'SUSPENDED'::text]) THEN 1
    WHEN status = 'CLOSED'::text THEN 2
    ELSE '-1'::integer
END),
  constraint account_token_is_bounded CHECK (char_length(account_token) >= 1 AND char_length(account_token) <= 255)
) with (
  fillfactor=80
);

create table anomalies (
  anomaly_id bigint not null generated always as identity,
  kind text not null,
  object_key text not null,
  detail jsonb not null,
  seen_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  constraint anomalies_pkey PRIMARY KEY (anomaly_id),
  constraint anomalies_once UNIQUE (kind, object_key),
  constraint anomaly_kind_is_bounded CHECK (char_length(kind) >= 1 AND char_length(kind) <= 64),
  constraint anomaly_object_is_bounded CHECK (char_length(object_key) >= 1 AND char_length(object_key) <= 255)
);

create table cards (
  card_token text not null,
  account_token text,
  state text not null,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint cards_pkey PRIMARY KEY (card_token),
  constraint card_stage_is_of_state CHECK (stage =
CASE
    WHEN state = ANY (ARRAY['UNACTIVATED'::text, 'UNVERIFIED'::text]) THEN 0
    WHEN state = ANY (ARRAY['ACTIVE'::text, 'SUSPENDED'::text, 'LIMITED'::text]) THEN 1
    WHEN state = 'TERMINATED'::text THEN 2
    ELSE '-1'::integer
END),
  constraint card_token_is_bounded CHECK (char_length(card_token) >= 1 AND char_length(card_token) <= 255)
) with (
  fillfactor=80
);

create table checkout_sessions (
  session_id text not null,
  account text,
  customer text,
  subscription text,
  payment_intent text,
  amount_total bigint,
  currency text,
  payment text not null,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint checkout_sessions_pkey PRIMARY KEY (session_id),
  constraint session_currency_is_iso CHECK (currency ~ '^[a-z]{3}$'::text),
  constraint session_id_is_bounded CHECK (char_length(session_id) >= 1 AND char_length(session_id) <= 255),
  constraint session_stage_is_of_payment CHECK (stage =
CASE payment
    WHEN 'pending'::text THEN 0
    WHEN 'failed'::text THEN 1
    WHEN 'paid'::text THEN 2
    ELSE '-1'::integer
END)
) with (
  fillfactor=80
);

create table compliance_requests (
  request_id bigint not null generated always as identity,
  shop text not null,
  kind text not null,
  customer_id bigint,
  provider_request_id bigint,
  orders bigint[] not null,
  due_at timestamp with time zone not null,
  requested_at timestamp with time zone not null default now(),
  done_at timestamp with time zone,
  done_by text,
  constraint compliance_requests_pkey PRIMARY KEY (request_id),
  constraint compliance_done_by_is_bounded CHECK (char_length(done_by) >= 1 AND char_length(done_by) <= 255),
  constraint compliance_done_says_by_whom CHECK (num_nulls(done_at, done_by) = ANY (ARRAY[0, 2])),
  constraint compliance_kind_is_known CHECK (kind = ANY (ARRAY['customers/data_request'::text, 'customers/redact'::text, 'shop/redact'::text])),
  constraint compliance_names_its_customer CHECK ((kind = 'shop/redact'::text) = (customer_id IS NULL)),
  constraint compliance_shop_is_bounded CHECK (char_length(shop) >= 1 AND char_length(shop) <= 255)
);

create table disputes (
  dispute_id text not null,
  account text,
  charge text,
  amount bigint not null,
  currency text not null,
  reason text,
  status text not null,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint disputes_pkey PRIMARY KEY (dispute_id),
  constraint dispute_currency_is_iso CHECK (currency ~ '^[a-z]{3}$'::text),
  constraint dispute_id_is_bounded CHECK (char_length(dispute_id) >= 1 AND char_length(dispute_id) <= 255),
  constraint dispute_stage_is_of_status CHECK (stage =
CASE
    WHEN status = ANY (ARRAY['warning_needs_response'::text, 'warning_under_review'::text, 'needs_response'::text, 'under_review'::text]) THEN 0
    WHEN status = ANY (ARRAY['warning_closed'::text, 'prevented'::text, 'won'::text, 'lost'::text]) THEN 1
    ELSE '-1'::integer
END)
) with (
  fillfactor=80
);

create table effect_results (
  effect_key text not null,
  provider text not null,
  operation text not null,
  request_hash text not null,
  account text,
  outbox_id bigint not null,
  asked_at timestamp with time zone not null default now(),
  generation integer not null default 1,
  generation_at timestamp with time zone not null default now(),
  result jsonb,
  known_by text,
  recorded_at timestamp with time zone,
  constraint effect_results_pkey PRIMARY KEY (effect_key),
  constraint effect_account_is_bounded CHECK (char_length(account) >= 1 AND char_length(account) <= 255),
  constraint effect_generation_counts CHECK (generation >= 1),
  constraint effect_is_recorded_whole CHECK (num_nulls(result, known_by, recorded_at) = ANY (ARRAY[0, 3])),
  constraint effect_key_is_bounded CHECK (char_length(effect_key) >= 1 AND char_length(effect_key) <= 255),
  constraint effect_known_by_is_known CHECK (known_by = ANY (ARRAY['answer'::text, 'lookup'::text])),
  constraint effect_operation_is_bounded CHECK (char_length(operation) >= 1 AND char_length(operation) <= 255),
  constraint effect_provider_is_bounded CHECK (char_length(provider) >= 1 AND char_length(provider) <= 255),
  constraint effect_request_hash_is_sha256 CHECK (request_hash ~ '^[0-9a-f]{64}$'::text)
);

create table failure_groups (
  failure_group text not null,
  provider text not null,
  event_type text not null,
  class text not null,
  sqlstate text,
  message text not null,
  first_seen_at timestamp with time zone not null default now(),
  first_release text,
  last_seen_at timestamp with time zone not null default now(),
  last_release text,
  failures bigint not null default 1,
  constraint failure_groups_pkey PRIMARY KEY (failure_group),
  constraint failure_group_class_is_bounded CHECK (char_length(class) >= 1 AND char_length(class) <= 64),
  constraint failure_group_is_a_hash CHECK (failure_group ~ '^[0-9a-f]{16}$'::text),
  constraint failure_group_message_is_bounded CHECK (char_length(message) <= 2000),
  constraint failure_group_releases_are_bounded CHECK (char_length(first_release) >= 1 AND char_length(first_release) <= 255 AND char_length(last_release) >= 1 AND char_length(last_release) <= 255),
  constraint failures_are_counted CHECK (failures > 0)
) with (
  fillfactor=50
);

create table findings (
  finding_id bigint not null generated always as identity,
  provider text not null,
  endpoint text not null,
  account text not null,
  kind text not null,
  object_key text not null,
  ours text,
  theirs text,
  repair_body bytea,
  repair_headers jsonb,
  first_seen_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  reopened integer not null default 0,
  repaired_at timestamp with time zone,
  closed_at timestamp with time zone,
  closed_by text,
  close_reason text,
  constraint findings_pkey PRIMARY KEY (finding_id),
  constraint findings_once UNIQUE (provider, endpoint, account, kind, object_key),
  constraint finding_account_is_bounded CHECK (char_length(account) <= 255),
  constraint finding_close_reason_is_given CHECK (char_length(btrim(close_reason)) >= 1 AND char_length(btrim(close_reason)) <= 2000),
  constraint finding_closed_by_is_bounded CHECK (char_length(closed_by) >= 1 AND char_length(closed_by) <= 255),
  constraint finding_closes_whole CHECK (num_nulls(closed_at, closed_by, close_reason) = ANY (ARRAY[0, 3])),
  constraint finding_endpoint_is_a_name CHECK (endpoint ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text),
  constraint finding_kind_is_known CHECK (kind = ANY (ARRAY['missing'::text, 'status_differs'::text, 'amount_differs'::text, 'paid_on_void'::text, 'registration_missing'::text, 'registration_disabled'::text, 'registration_incomplete'::text])),
  constraint finding_object_is_bounded CHECK (char_length(object_key) >= 1 AND char_length(object_key) <= 2048),
  constraint finding_provider_is_a_name CHECK (provider ~ '^[a-z][a-z0-9-]{0,62}$'::text),
  constraint finding_repair_is_whole CHECK (num_nulls(repair_body, repair_headers) = ANY (ARRAY[0, 2])),
  constraint finding_texts_are_bounded CHECK (char_length(ours) <= 2000 AND char_length(theirs) <= 2000)
) with (
  fillfactor=80
);

create table housekeeping (
  chore text not null,
  held_by text not null,
  held_until timestamp with time zone not null,
  begun_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint housekeeping_pkey PRIMARY KEY (chore),
  constraint chore_held_by_is_bounded CHECK (char_length(held_by) >= 1 AND char_length(held_by) <= 255),
  constraint chore_is_bounded CHECK (char_length(chore) >= 1 AND char_length(chore) <= 64)
);

create table inbox_arrivals (
  provider text not null,
  endpoint text not null,
  event_type text not null,
  hour timestamp with time zone not null,
  events bigint not null,
  constraint inbox_arrivals_pkey PRIMARY KEY (provider, endpoint, event_type, hour),
  constraint arrival_type_is_bounded CHECK (char_length(event_type) >= 1 AND char_length(event_type) <= 255),
  constraint arrivals_are_counted CHECK (events > 0)
) with (
  fillfactor=80
);

create table inbox_duplicates (
  provider text not null,
  endpoint text not null,
  event_id text not null,
  count bigint not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint inbox_duplicates_pkey PRIMARY KEY (provider, endpoint, event_id),
  constraint duplicates_are_counted CHECK (count > 0)
) with (
  fillfactor=80
);

create table inbox_failures (
  failure_id bigint not null generated always as identity,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  attempt integer not null,
  worker text not null,
  release text,
  started_at timestamp with time zone,
  failed_at timestamp with time zone not null default now(),
  class text not null,
  sqlstate text,
  message text not null,
  stack text,
  failure_group text,
  constraint inbox_failures_pkey PRIMARY KEY (failure_id),
  constraint failure_class_is_bounded CHECK (char_length(class) >= 1 AND char_length(class) <= 64),
  constraint failure_group_is_bounded CHECK (char_length(failure_group) >= 1 AND char_length(failure_group) <= 64),
  constraint failure_message_is_bounded CHECK (char_length(message) <= 2000),
  constraint failure_release_is_bounded CHECK (char_length(release) >= 1 AND char_length(release) <= 255),
  constraint failure_sqlstate_is_a_state CHECK (sqlstate ~ '^[0-9A-Z]{5}$'::text),
  constraint failure_stack_is_bounded CHECK (char_length(stack) <= 8000),
  constraint failure_worker_is_bounded CHECK (char_length(worker) >= 1 AND char_length(worker) <= 255)
);

create table inbox_objects (
  provider text not null,
  object_key text not null,
  endpoint text not null,
  event_id text not null,
  since timestamp with time zone not null default now(),
  constraint inbox_objects_pkey PRIMARY KEY (provider, object_key)
) with (
  fillfactor=50
);

create table inbox_rejections (
  rejection_id bigint not null generated always as identity,
  rejected_at timestamp with time zone not null default now(),
  provider text not null,
  endpoint text not null,
  reason text not null,
  diagnosis text not null,
  explanation text not null,
  secret_label text,
  skew_ms bigint,
  body_sha256 text not null,
  body_bytes bigint not null,
  content_type text,
  content_encoding text,
  header_names text[] not null,
  body bytea,
  constraint inbox_rejections_pkey PRIMARY KEY (rejection_id),
  constraint rejection_body_is_bounded CHECK (octet_length(body) <= 65536),
  constraint rejection_bytes_are_counted CHECK (body_bytes >= 0),
  constraint rejection_content_encoding_is_bounded CHECK (char_length(content_encoding) <= 255),
  constraint rejection_content_type_is_bounded CHECK (char_length(content_type) <= 255),
  constraint rejection_diagnosis_is_bounded CHECK (char_length(diagnosis) >= 1 AND char_length(diagnosis) <= 64),
  constraint rejection_endpoint_is_a_name CHECK (endpoint ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text),
  constraint rejection_explanation_is_bounded CHECK (char_length(explanation) >= 1 AND char_length(explanation) <= 1000),
  constraint rejection_hash_is_a_hash CHECK (body_sha256 ~ '^[0-9a-f]{64}$'::text),
  constraint rejection_headers_are_bounded CHECK (cardinality(header_names) <= 64 AND octet_length(array_to_string(header_names, ''::text)) <= 8192),
  constraint rejection_label_is_bounded CHECK (char_length(secret_label) >= 1 AND char_length(secret_label) <= 255),
  constraint rejection_provider_is_a_name CHECK (provider ~ '^[a-z][a-z0-9-]{0,62}$'::text),
  constraint rejection_reason_is_bounded CHECK (char_length(reason) >= 1 AND char_length(reason) <= 64)
);

create table inbox_secret_uses (
  provider text not null,
  endpoint text not null,
  secret_label text not null,
  day date not null,
  matches bigint not null,
  last_at timestamp with time zone not null,
  constraint inbox_secret_uses_pkey PRIMARY KEY (provider, endpoint, secret_label, day),
  constraint secret_use_label_is_bounded CHECK (char_length(secret_label) >= 1 AND char_length(secret_label) <= 255),
  constraint secret_uses_are_counted CHECK (matches > 0)
) with (
  fillfactor=80
);

create table inventory_levels (
  shop text not null,
  inventory_item_id bigint not null,
  location_id bigint not null,
  available bigint,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint inventory_levels_pkey PRIMARY KEY (shop, inventory_item_id, location_id),
  constraint inventory_has_one_stage CHECK (stage = 0),
  constraint inventory_shop_is_bounded CHECK (char_length(shop) >= 1 AND char_length(shop) <= 255)
) with (
  fillfactor=80
);

create table invoices (
  invoice_id text not null,
  account text,
  customer text,
  subscription text,
  currency text,
  amount_due bigint,
  amount_paid bigint,
  status text not null,
  snapshot_at timestamp with time zone not null,
  snapshot_event_id text not null,
  failed_payments integer not null default 0,
  updated_at timestamp with time zone not null default now(),
  constraint invoices_pkey PRIMARY KEY (invoice_id),
  constraint invoice_currency_is_iso CHECK (currency ~ '^[a-z]{3}$'::text),
  constraint invoice_id_is_bounded CHECK (char_length(invoice_id) >= 1 AND char_length(invoice_id) <= 255),
  constraint invoice_status_is_known CHECK (status = ANY (ARRAY['draft'::text, 'open'::text, 'uncollectible'::text, 'paid'::text, 'void'::text]))
) with (
  fillfactor=80
);

create table ledger_entries (
  entry_id bigint not null generated always as identity,
  invoice_id text not null,
  kind text not null,
  amount bigint not null,
  currency text not null,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  booked_at timestamp with time zone not null default now(),
  constraint ledger_entries_pkey PRIMARY KEY (entry_id),
  constraint ledger_entries_once UNIQUE (invoice_id, kind),
  constraint ledger_currency_is_iso CHECK (currency ~ '^[a-z]{3}$'::text),
  constraint ledger_kind_is_known CHECK (kind = ANY (ARRAY['payment'::text, 'payment_reversal'::text]))
);

create table mailroom_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint mailroom_migrations_pkey PRIMARY KEY (name)
);

create table operator_actions (
  action_id bigint not null generated always as identity,
  acted_at timestamp with time zone not null default now(),
  actor text not null,
  action text not null,
  reason text not null,
  selection jsonb not null,
  affected bigint not null,
  constraint operator_actions_pkey PRIMARY KEY (action_id),
  constraint action_is_bounded CHECK (char_length(action) >= 1 AND char_length(action) <= 64),
  constraint actor_is_bounded CHECK (char_length(actor) >= 1 AND char_length(actor) <= 255),
  constraint affected_is_counted CHECK (affected >= 0),
  constraint reason_is_given CHECK (char_length(btrim(reason)) >= 1 AND char_length(btrim(reason)) <= 2000)
);

create table orders (
  shop text not null,
  order_id bigint not null,
  name text,
  currency text not null,
  total_price numeric not null,
  financial_status text,
  cancelled_at timestamp with time zone,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint orders_pkey PRIMARY KEY (shop, order_id),
  constraint order_currency_is_iso CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint order_financial_status_is_known CHECK (financial_status = ANY (ARRAY['pending'::text, 'authorized'::text, 'partially_paid'::text, 'paid'::text, 'partially_refunded'::text, 'refunded'::text, 'voided'::text, 'expired'::text])),
  constraint order_shop_is_bounded CHECK (char_length(shop) >= 1 AND char_length(shop) <= 255),
  constraint order_stage_is_of_cancellation CHECK (stage =
CASE
    WHEN cancelled_at IS NULL THEN 0
    ELSE 1
END),
  constraint order_total_is_a_sum CHECK (total_price >= 0::numeric AND total_price < 'Infinity'::numeric)
) with (
  fillfactor=80
);

create table outbox (
  outbox_id bigint not null generated always as identity,
  topic text not null,
  aggregate text not null,
  payload jsonb not null,
  provider text,
  endpoint text,
  event_id text,
  created_at timestamp with time zone not null default now(),
  available_at timestamp with time zone not null default now(),
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  claim_token bigint not null default 0,
  claimed_by text,
  claimed_until timestamp with time zone,
  published_at timestamp with time zone,
  result jsonb,
  last_error text,
  constraint outbox_pkey PRIMARY KEY (outbox_id),
  constraint aggregate_is_bounded CHECK (char_length(aggregate) >= 1 AND char_length(aggregate) <= 255),
  constraint outbox_claim_is_whole CHECK (num_nulls(claimed_by, claimed_until) = ANY (ARRAY[0, 2])),
  constraint outbox_claimed_by_is_bounded CHECK (char_length(claimed_by) >= 1 AND char_length(claimed_by) <= 255),
  constraint outbox_counters_are_sane CHECK (attempts >= 0 AND claim_token >= 0),
  constraint outbox_last_error_is_bounded CHECK (char_length(last_error) <= 2000),
  constraint outbox_only_pending_is_claimed CHECK (state = 'pending'::text OR claimed_by IS NULL),
  constraint outbox_state_is_known CHECK (state = ANY (ARRAY['pending'::text, 'held'::text, 'unrouted'::text, 'published'::text, 'needs_review'::text, 'skipped'::text])),
  constraint published_means_published_at CHECK ((state = 'published'::text) = (published_at IS NOT NULL)),
  constraint topic_is_bounded CHECK (char_length(topic) >= 1 AND char_length(topic) <= 255)
) with (
  autovacuum_analyze_scale_factor=0.05,
  autovacuum_vacuum_scale_factor=0.02,
  fillfactor=80
);

create table pauses (
  pause_id bigint not null generated always as identity,
  scope text not null,
  provider text,
  endpoint text,
  event_type text,
  failure_group text,
  opened_by text not null,
  reason text not null,
  opened_at timestamp with time zone not null default now(),
  next_canary_at timestamp with time zone,
  canaries integer not null default 0,
  ended_at timestamp with time zone,
  ended_by text,
  constraint pauses_pkey PRIMARY KEY (pause_id),
  constraint pause_ends_whole CHECK (num_nulls(ended_at, ended_by) = ANY (ARRAY[0, 2])),
  constraint pause_scope_is_whole CHECK (
CASE scope
    WHEN 'endpoint'::text THEN num_nonnulls(provider, endpoint) = 2 AND num_nonnulls(event_type, failure_group) = 0
    WHEN 'event_type'::text THEN num_nonnulls(provider, event_type) = 2 AND num_nonnulls(endpoint, failure_group) = 0
    WHEN 'failure_group'::text THEN failure_group IS NOT NULL AND num_nonnulls(provider, endpoint, event_type) = 0
    ELSE false
END),
  constraint pause_texts_are_bounded CHECK (char_length(opened_by) >= 1 AND char_length(opened_by) <= 255 AND char_length(btrim(reason)) >= 1 AND char_length(btrim(reason)) <= 2000)
);

create table products (
  shop text not null,
  product_id bigint not null,
  title text not null,
  handle text,
  vendor text,
  status text,
  variants integer not null,
  lowest_price numeric,
  highest_price numeric,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint products_pkey PRIMARY KEY (shop, product_id),
  constraint product_has_one_stage CHECK (stage = 0),
  constraint product_prices_are_ordered CHECK ((num_nulls(lowest_price, highest_price) = ANY (ARRAY[0, 2])) AND 0::numeric <= lowest_price AND lowest_price <= highest_price AND highest_price < 'Infinity'::numeric),
  constraint product_shop_is_bounded CHECK (char_length(shop) >= 1 AND char_length(shop) <= 255)
) with (
  fillfactor=80
);

create table provider_limits (
  provider text not null,
  not_before timestamp with time zone not null,
  reason text not null,
  hits integer not null default 1,
  limited_at timestamp with time zone not null default now(),
  constraint provider_limits_pkey PRIMARY KEY (provider),
  constraint provider_limits_hits_count CHECK (hits >= 1),
  constraint provider_limits_provider_is_bounded CHECK (char_length(provider) >= 1 AND char_length(provider) <= 255),
  constraint provider_limits_reason_is_bounded CHECK (char_length(reason) >= 1 AND char_length(reason) <= 2000)
);

create table reconcile_coverage (
  provider text not null,
  endpoint text not null,
  account text not null,
  hour timestamp with time zone not null,
  event_type text not null,
  expected integer not null,
  received integer not null,
  late integer not null,
  injected integer not null,
  swept_at timestamp with time zone not null default now(),
  constraint reconcile_coverage_pkey PRIMARY KEY (provider, endpoint, account, hour, event_type),
  constraint coverage_account_is_bounded CHECK (char_length(account) <= 255),
  constraint coverage_adds_up CHECK (received >= 0 AND late >= 0 AND injected >= 0 AND expected > 0 AND (received + late + injected) <= expected),
  constraint coverage_type_is_bounded CHECK (char_length(event_type) >= 1 AND char_length(event_type) <= 255)
) with (
  fillfactor=80
);

create table reconcile_cursors (
  provider text not null,
  endpoint text not null,
  account text not null,
  swept_until timestamp with time zone not null,
  swept_at timestamp with time zone not null default now(),
  constraint reconcile_cursors_pkey PRIMARY KEY (provider, endpoint, account),
  constraint cursor_account_is_bounded CHECK (char_length(account) <= 255)
) with (
  fillfactor=50
);

create table reconcile_runners (
  task text not null,
  holder text not null,
  token uuid not null,
  since timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  constraint reconcile_runners_pkey PRIMARY KEY (task),
  constraint runner_holder_is_bounded CHECK (char_length(holder) >= 1 AND char_length(holder) <= 255),
  constraint runner_task_is_bounded CHECK (char_length(task) >= 1 AND char_length(task) <= 64)
) with (
  fillfactor=50
);

create table refund_entries (
  entry_id bigint not null generated always as identity,
  refund_id text not null,
  kind text not null,
  amount bigint not null,
  currency text not null,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  booked_at timestamp with time zone not null default now(),
  constraint refund_entries_pkey PRIMARY KEY (entry_id),
  constraint refund_entries_once UNIQUE (refund_id, kind),
  constraint refund_entry_currency_is_iso CHECK (currency ~ '^[a-z]{3}$'::text),
  constraint refund_entry_has_its_sign CHECK (kind = 'refund'::text AND amount < 0 OR kind = 'refund_reversal'::text AND amount > 0)
);

create table refunds (
  refund_id text not null,
  account text,
  charge text,
  payment_intent text,
  amount bigint not null,
  currency text not null,
  status text not null,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint refunds_pkey PRIMARY KEY (refund_id),
  constraint refund_amount_is_positive CHECK (amount > 0),
  constraint refund_currency_is_iso CHECK (currency ~ '^[a-z]{3}$'::text),
  constraint refund_id_is_bounded CHECK (char_length(refund_id) >= 1 AND char_length(refund_id) <= 255),
  constraint refund_stage_is_of_status CHECK (stage = (COALESCE(array_position(ARRAY['requires_action'::text, 'pending'::text, 'succeeded'::text, 'canceled'::text, 'failed'::text], status), 0) - 1) AND stage >= 0)
) with (
  fillfactor=80
);

create table shops (
  shop text not null,
  uninstalled_at timestamp with time zone not null,
  constraint shops_pkey PRIMARY KEY (shop),
  constraint shop_is_bounded CHECK (char_length(shop) >= 1 AND char_length(shop) <= 255)
);

create table subscriptions (
  subscription_id text not null,
  account text,
  customer text,
  status text not null,
  cancel_at_period_end boolean,
  trial_end timestamp with time zone,
  current_period_end timestamp with time zone,
  stage smallint not null,
  snapshot_at timestamp with time zone not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamp with time zone not null default now(),
  constraint subscriptions_pkey PRIMARY KEY (subscription_id),
  constraint subscription_id_is_bounded CHECK (char_length(subscription_id) >= 1 AND char_length(subscription_id) <= 255),
  constraint subscription_stage_is_of_status CHECK (stage =
CASE
    WHEN status = 'incomplete'::text THEN 0
    WHEN status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'unpaid'::text, 'paused'::text]) THEN 1
    WHEN status = ANY (ARRAY['canceled'::text, 'incomplete_expired'::text]) THEN 2
    ELSE '-1'::integer
END)
) with (
  fillfactor=80
);

create table told_facts (
  aggregate text not null,
  topic text not null,
  fact text not null,
  told_at timestamp with time zone not null default now(),
  constraint told_facts_pkey PRIMARY KEY (aggregate, topic, fact),
  constraint told_aggregate_is_bounded CHECK (char_length(aggregate) >= 1 AND char_length(aggregate) <= 255),
  constraint told_fact_is_bounded CHECK (char_length(fact) >= 1 AND char_length(fact) <= 255),
  constraint told_topic_is_bounded CHECK (char_length(topic) >= 1 AND char_length(topic) <= 255)
);

create table webhook_delivery (
  delivery_id uuid not null,
  provider text not null,
  endpoint text not null,
  received_at timestamp with time zone not null default now(),
  content_type text,
  headers jsonb not null default '{}'::jsonb,
  body bytea not null,
  constraint webhook_delivery_pkey PRIMARY KEY (delivery_id),
  constraint content_type_is_bounded CHECK (char_length(content_type) <= 255)
) with (
  autovacuum_vacuum_scale_factor=0.02,
  toast_tuple_target=8160
);

create table webhook_inbox (
  provider text not null,
  endpoint text not null,
  event_id text not null,
  delivery_id uuid not null,
  item_path text[],
  event_type text not null,
  object_key text,
  provider_time timestamp with time zone,
  api_version text,
  account text,
  livemode boolean,
  secret_label text,
  origin text not null default 'webhook'::text,
  received_at timestamp with time zone not null default now(),
  available_at timestamp with time zone not null default now(),
  state text not null default 'pending'::text,
  state_reason text,
  held_by text,
  attempts integer not null default 0,
  max_attempts integer not null,
  infra_retries integer not null default 0,
  total_attempts integer not null default 0,
  lease_token uuid,
  leased_by text,
  leased_until timestamp with time zone,
  last_error text,
  failure_group text,
  processed_at timestamp with time zone,
  body_sha256 bytea,
  suspect boolean not null default false,
  constraint webhook_inbox_pkey PRIMARY KEY (provider, endpoint, event_id),
  constraint account_is_bounded CHECK (char_length(account) >= 1 AND char_length(account) <= 255),
  constraint api_version_is_bounded CHECK (char_length(api_version) >= 1 AND char_length(api_version) <= 255),
  constraint body_sha256_is_one CHECK (octet_length(body_sha256) = 32),
  constraint counters_are_sane CHECK (attempts >= 0 AND attempts <= max_attempts AND max_attempts >= 1 AND infra_retries >= 0 AND total_attempts >= attempts),
  constraint endpoint_is_a_name CHECK (endpoint ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text),
  constraint event_id_is_bounded CHECK (char_length(event_id) >= 1 AND char_length(event_id) <= 255),
  constraint event_type_is_bounded CHECK (char_length(event_type) >= 1 AND char_length(event_type) <= 255),
  constraint exhausted_row_needs_mailroom_retry CHECK (state <> 'exhausted'::text OR attempts > 0),
  constraint failure_group_is_bounded CHECK (char_length(failure_group) >= 1 AND char_length(failure_group) <= 64),
  constraint finished_means_processed_at CHECK ((state = ANY (ARRAY['processed'::text, 'ignored'::text])) = (processed_at IS NOT NULL)),
  constraint held_by_is_bounded CHECK (char_length(held_by) >= 1 AND char_length(held_by) <= 255),
  constraint held_says_by_what CHECK ((state = 'held'::text) = (held_by IS NOT NULL)),
  constraint item_path_is_bounded CHECK (cardinality(item_path) >= 1 AND cardinality(item_path) <= 8),
  constraint last_error_is_bounded CHECK (char_length(last_error) <= 2000),
  constraint lease_is_whole CHECK (num_nulls(lease_token, leased_by, leased_until) = ANY (ARRAY[0, 3])),
  constraint leased_by_is_bounded CHECK (char_length(leased_by) >= 1 AND char_length(leased_by) <= 255),
  constraint object_key_is_bounded CHECK (char_length(object_key) >= 1 AND char_length(object_key) <= 255),
  constraint only_pending_is_leased CHECK (state = 'pending'::text OR lease_token IS NULL),
  constraint origin_is_known CHECK (origin = ANY (ARRAY['webhook'::text, 'reconcile'::text, 'reparse'::text, 'outbox'::text])),
  constraint provider_is_a_name CHECK (provider ~ '^[a-z][a-z0-9-]{0,62}$'::text),
  constraint secret_label_is_bounded CHECK (char_length(secret_label) >= 1 AND char_length(secret_label) <= 255),
  constraint state_is_known CHECK (state = ANY (ARRAY['pending'::text, 'held'::text, 'exhausted'::text, 'rejected'::text, 'parked'::text, 'quarantined'::text, 'processed'::text, 'ignored'::text])),
  constraint state_reason_is_bounded CHECK (char_length(state_reason) >= 1 AND char_length(state_reason) <= 2000),
  constraint unusual_state_says_why CHECK ((state = ANY (ARRAY['pending'::text, 'processed'::text, 'parked'::text])) OR state_reason IS NOT NULL)
) with (
  autovacuum_analyze_scale_factor=0.05,
  autovacuum_vacuum_scale_factor=0.02,
  fillfactor=50
);

alter table webhook_delivery alter column body set storage external;

CREATE INDEX account_entries_following ON account_entries USING btree (preceding_token) WHERE preceding_token IS NOT NULL;

CREATE INDEX account_entries_of_account ON account_entries USING btree (account_token);

CREATE UNIQUE INDEX compliance_requests_open ON compliance_requests USING btree (shop, kind, customer_id, provider_request_id, orders) NULLS NOT DISTINCT WHERE done_at IS NULL;

CREATE INDEX findings_open ON findings USING btree (finding_id) WHERE closed_at IS NULL;

CREATE INDEX inbox_arrivals_by_hour ON inbox_arrivals USING btree (hour);

CREATE INDEX inbox_failures_of_event ON inbox_failures USING btree (provider, endpoint, event_id, failure_id);

CREATE INDEX inbox_rejections_with_body ON inbox_rejections USING btree (rejection_id) WHERE body IS NOT NULL;

CREATE INDEX outbox_due ON outbox USING btree (available_at, outbox_id) WHERE state = 'pending'::text;

CREATE INDEX outbox_held ON outbox USING btree (aggregate) WHERE state = 'held'::text;

CREATE INDEX outbox_needs_review ON outbox USING btree (outbox_id) WHERE state = 'needs_review'::text;

CREATE INDEX outbox_of_aggregate ON outbox USING btree (aggregate, outbox_id) WHERE state = ANY (ARRAY['pending'::text, 'held'::text, 'needs_review'::text]);

CREATE INDEX outbox_unrouted ON outbox USING btree (topic, outbox_id) WHERE state = 'unrouted'::text;

CREATE INDEX pauses_ended ON pauses USING btree (ended_at) WHERE ended_at IS NOT NULL;

CREATE UNIQUE INDEX pauses_open ON pauses USING btree (scope, provider, endpoint, event_type, failure_group) NULLS NOT DISTINCT WHERE ended_at IS NULL;

CREATE INDEX reconcile_coverage_by_hour ON reconcile_coverage USING btree (hour);

CREATE INDEX refunds_of_charge ON refunds USING btree (charge);

CREATE INDEX webhook_inbox_attention ON webhook_inbox USING btree (state, provider, endpoint, event_id) WHERE state = ANY (ARRAY['held'::text, 'exhausted'::text, 'rejected'::text, 'parked'::text, 'quarantined'::text]);

CREATE INDEX webhook_inbox_due ON webhook_inbox USING btree (provider, endpoint, available_at, event_id) WHERE state = 'pending'::text;

CREATE INDEX webhook_inbox_finished ON webhook_inbox USING btree (processed_at) WHERE processed_at IS NOT NULL;

CREATE INDEX webhook_inbox_held ON webhook_inbox USING btree (held_by, received_at, event_id) WHERE state = 'held'::text;

CREATE INDEX webhook_inbox_parked ON webhook_inbox USING btree (provider, event_type) WHERE state = 'parked'::text;

CREATE INDEX webhook_inbox_same_body ON webhook_inbox USING btree (provider, endpoint, body_sha256) WHERE body_sha256 IS NOT NULL;

CREATE INDEX webhook_inbox_suspects ON webhook_inbox USING btree (available_at) WHERE state = 'pending'::text AND suspect;

CREATE INDEX webhook_inbox_unfinished ON webhook_inbox USING btree (delivery_id) WHERE processed_at IS NULL;

CREATE INDEX webhook_inbox_versions ON webhook_inbox USING btree (provider, endpoint, object_key, provider_time) WHERE body_sha256 IS NOT NULL;

alter table account_entries add constraint account_entries_account_fkey FOREIGN KEY (account_token) REFERENCES accounts(account_token);

alter table ledger_entries add constraint ledger_entries_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(invoice_id);

alter table refund_entries add constraint refund_entries_refund_fkey FOREIGN KEY (refund_id) REFERENCES refunds(refund_id);

create view webhook_events as
SELECT i.provider, i.endpoint, i.event_id, i.event_type, i.object_key, i.state, i.state_reason,
        CASE
            WHEN i.item_path IS NULL THEN mailroom_json(d.body)
            ELSE mailroom_json(d.body) #> i.item_path
        END AS payload,
    mailroom_json_problem(d.body) AS payload_problem, i.attempts, i.max_attempts, i.infra_retries,
    i.total_attempts, i.last_error, i.failure_group, i.received_at, i.available_at, i.leased_by,
    i.leased_until, i.processed_at, i.provider_time, i.api_version, i.account, i.livemode,
    i.secret_label, i.origin, d.content_type, d.headers, d.body
   FROM webhook_inbox i
     LEFT JOIN webhook_delivery d USING (delivery_id);

create view account_balances as
SELECT account_token, currency,
    COALESCE(sum(
        CASE kind
            WHEN 'deposit'::text THEN amount
            WHEN 'clearing'::text THEN - amount
            ELSE NULL::numeric
        END), 0::numeric) AS balance,
    COALESCE(sum(amount) FILTER (WHERE kind = 'authorization'::text AND NOT (EXISTS ( SELECT
           FROM account_entries f
          WHERE f.preceding_token = e.transaction_token))), 0::numeric) AS held
   FROM account_entries e
  GROUP BY account_token, currency;
