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
  row_leased boolean;
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
    set state = 'pending', state_reason = null, held_by = null, attempts = 0, infra_retries = 0,
        available_at = now(), lease_token = null, leased_by = null, leased_until = null
    from (
      select x.provider, x.endpoint, x.event_id from webhook_inbox x
      where x.provider = wanted.p and x.endpoint = wanted.e and x.event_id = wanted.id
        and x.state in ('pending', 'held', 'exhausted', 'rejected', 'parked')
        and x.lease_token is null
      for update skip locked
    ) as free
    where i.provider = free.provider and i.endpoint = free.endpoint and i.event_id = free.event_id;
    if found then
      retried := retried || wanted.k;
      key := wanted.k; outcome := 'retried';
    else
      select x.state, x.lease_token is not null into row_state, row_leased from webhook_inbox x
      where x.provider = wanted.p and x.endpoint = wanted.e and x.event_id = wanted.id;
      key := wanted.k;
      outcome := case
        when not found then 'not_found'
        when row_state in ('processed', 'ignored', 'quarantined') then row_state
        else 'leased'
      end;
    end if;
    return next;
  end loop;
  insert into operator_actions (actor, action, reason, selection, affected)
  values (actor, 'retry', reason, jsonb_build_object('keys', to_jsonb(mailroom_retry.keys), 'retried', to_jsonb(retried)), cardinality(retried));
end
$function$;

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
  constraint outbox_last_error_is_bounded CHECK (char_length(last_error) <= 2000),
  constraint outbox_state_is_known CHECK (state = ANY (ARRAY['pending'::text, 'published'::text, 'needs_review'::text, 'skipped'::text])),
  constraint published_means_published_at CHECK ((state = 'published'::text) = (published_at IS NOT NULL)),
  constraint topic_is_bounded CHECK (char_length(topic) >= 1 AND char_length(topic) <= 255)
) with (
  fillfactor=80
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
  constraint webhook_inbox_pkey PRIMARY KEY (provider, endpoint, event_id),
  constraint account_is_bounded CHECK (char_length(account) >= 1 AND char_length(account) <= 255),
  constraint api_version_is_bounded CHECK (char_length(api_version) >= 1 AND char_length(api_version) <= 255),
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

CREATE INDEX inbox_failures_of_event ON inbox_failures USING btree (provider, endpoint, event_id, failure_id);

CREATE INDEX outbox_due ON outbox USING btree (available_at, outbox_id) WHERE state = 'pending'::text;

CREATE INDEX outbox_of_aggregate ON outbox USING btree (aggregate, outbox_id) WHERE state = ANY (ARRAY['pending'::text, 'needs_review'::text]);

CREATE INDEX webhook_inbox_attention ON webhook_inbox USING btree (state, provider, endpoint, event_id) WHERE state = ANY (ARRAY['held'::text, 'exhausted'::text, 'rejected'::text, 'parked'::text, 'quarantined'::text]);

CREATE INDEX webhook_inbox_due ON webhook_inbox USING btree (available_at, provider, endpoint, event_id) WHERE state = 'pending'::text;

CREATE INDEX webhook_inbox_parked ON webhook_inbox USING btree (provider, event_type) WHERE state = 'parked'::text;

alter table ledger_entries add constraint ledger_entries_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(invoice_id);

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
