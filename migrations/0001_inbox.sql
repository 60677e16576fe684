-- The ledger, its bodies and its history, and the outbox. Needs PostgreSQL 15 or later.

-- One narrow row per event, kept far longer than any provider can redeliver.
create table webhook_inbox (
  provider text not null,
  endpoint text not null,
  event_id text not null,

  -- Where its bytes are: a delivery, and for one item of a batch the path inside it (null: the whole body).
  delivery_id uuid not null,
  item_path text[],

  event_type text not null,
  object_key text,
  provider_time timestamptz,
  api_version text,
  account text,
  livemode boolean,
  secret_label text,
  origin text not null default 'webhook',

  received_at timestamptz not null default now(),
  available_at timestamptz not null default now(),

  state text not null default 'pending',
  state_reason text,
  held_by text,

  attempts integer not null default 0,
  max_attempts integer not null,
  infra_retries integer not null default 0,
  total_attempts integer not null default 0,

  lease_token uuid,
  leased_by text,
  leased_until timestamptz,

  last_error text,
  failure_group text,
  processed_at timestamptz,

  constraint webhook_inbox_pkey primary key (provider, endpoint, event_id),

  constraint provider_is_a_name check (provider ~ '^[a-z][a-z0-9-]{0,62}$'),
  constraint endpoint_is_a_name check (endpoint ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint event_id_is_bounded check (char_length(event_id) between 1 and 255),
  constraint event_type_is_bounded check (char_length(event_type) between 1 and 255),
  constraint object_key_is_bounded check (char_length(object_key) between 1 and 255),
  constraint api_version_is_bounded check (char_length(api_version) between 1 and 255),
  constraint account_is_bounded check (char_length(account) between 1 and 255),
  constraint secret_label_is_bounded check (char_length(secret_label) between 1 and 255),
  constraint leased_by_is_bounded check (char_length(leased_by) between 1 and 255),
  constraint state_reason_is_bounded check (char_length(state_reason) between 1 and 2000),
  constraint last_error_is_bounded check (char_length(last_error) <= 2000),
  constraint failure_group_is_bounded check (char_length(failure_group) between 1 and 64),
  constraint held_by_is_bounded check (char_length(held_by) between 1 and 255),
  constraint item_path_is_bounded check (cardinality(item_path) between 1 and 8),

  constraint origin_is_known check (origin in ('webhook', 'reconcile', 'reparse', 'outbox')),
  constraint state_is_known check (
    state in ('pending', 'held', 'exhausted', 'rejected', 'parked', 'quarantined', 'processed', 'ignored')
  ),
  constraint counters_are_sane check (
    attempts >= 0 and attempts <= max_attempts and max_attempts >= 1 and infra_retries >= 0 and total_attempts >= attempts
  ),
  -- A lease is whole or absent, and only a pending row has one.
  constraint lease_is_whole check (num_nulls(lease_token, leased_by, leased_until) in (0, 3)),
  constraint only_pending_is_leased check (state = 'pending' or lease_token is null),
  constraint finished_means_processed_at check ((state in ('processed', 'ignored')) = (processed_at is not null)),
  constraint held_says_by_what check ((state = 'held') = (held_by is not null)),
  constraint unusual_state_says_why check (
    state in ('pending', 'processed', 'parked') or state_reason is not null
  ),
  -- "update ... set attempts = 0" alone would leave the row exhausted, so the database refuses it:
  -- use mailroom_retry(), the command line or the console, which reset the row whole.
  constraint exhausted_row_needs_mailroom_retry check (state <> 'exhausted' or attempts > 0)
) with (
  -- Half of each page stays free, so that taking a lease (columns that no index covers) is a heap-only update.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.05
);

-- The claim index: what is due, oldest first. Rows in any other state cost a claim nothing.
create index webhook_inbox_due on webhook_inbox (available_at, provider, endpoint, event_id) where state = 'pending';

-- For operators: rows that want a person, and those that wait outside the claim index.
create index webhook_inbox_attention on webhook_inbox (state, provider, endpoint, event_id)
  where state in ('held', 'exhausted', 'rejected', 'parked', 'quarantined');

-- For workers that learn a new handler: what waits for it, by type.
create index webhook_inbox_parked on webhook_inbox (provider, event_type) where state = 'parked';

-- The exact bytes, once per delivery, never rewritten.
create table webhook_delivery (
  delivery_id uuid not null,
  provider text not null,
  endpoint text not null,
  received_at timestamptz not null default now(),
  content_type text,
  headers jsonb not null default '{}',
  body bytea not null,

  constraint webhook_delivery_pkey primary key (delivery_id),
  constraint content_type_is_bounded check (char_length(content_type) <= 255)
) with (
  -- Bodies up to a page stay beside their row: one TOAST row an event cost about 15 % when measured.
  toast_tuple_target = 8160,
  autovacuum_vacuum_scale_factor = 0.02
);
-- Compressing 2.5 KB costs more than it saves.
alter table webhook_delivery alter column body set storage external;

-- One row per failed attempt, append only.
create table inbox_failures (
  failure_id bigint generated always as identity,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  attempt integer not null,
  worker text not null,
  release text,
  -- null: not known, for the worker died before it could say.
  started_at timestamptz,
  failed_at timestamptz not null default now(),
  class text not null,
  sqlstate text,
  message text not null,
  stack text,
  failure_group text,

  constraint inbox_failures_pkey primary key (failure_id),
  constraint failure_class_is_bounded check (char_length(class) between 1 and 64),
  constraint failure_worker_is_bounded check (char_length(worker) between 1 and 255),
  constraint failure_release_is_bounded check (char_length(release) between 1 and 255),
  constraint failure_sqlstate_is_a_state check (sqlstate ~ '^[0-9A-Z]{5}$'),
  constraint failure_message_is_bounded check (char_length(message) <= 2000),
  constraint failure_stack_is_bounded check (char_length(stack) <= 8000),
  constraint failure_group_is_bounded check (char_length(failure_group) between 1 and 64)
);
create index inbox_failures_of_event on inbox_failures (provider, endpoint, event_id, failure_id);

-- How often a known event came again; written in batches outside the acknowledging path.
create table inbox_duplicates (
  provider text not null,
  endpoint text not null,
  event_id text not null,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,

  constraint inbox_duplicates_pkey primary key (provider, endpoint, event_id),
  constraint duplicates_are_counted check (count > 0)
) with (fillfactor = 80);

-- Who, or which automatic rule, did what to which rows, and why. Append only.
create table operator_actions (
  action_id bigint generated always as identity,
  acted_at timestamptz not null default now(),
  actor text not null,
  action text not null,
  reason text not null,
  selection jsonb not null,
  affected bigint not null,

  constraint operator_actions_pkey primary key (action_id),
  constraint actor_is_bounded check (char_length(actor) between 1 and 255),
  constraint action_is_bounded check (char_length(action) between 1 and 64),
  constraint reason_is_given check (char_length(btrim(reason)) between 1 and 2000),
  constraint affected_is_counted check (affected >= 0)
);

-- Messages that leave the database. Appended in the handler's transaction; claim_token is the fencing token.
create table outbox (
  outbox_id bigint generated always as identity,
  topic text not null,
  aggregate text not null,
  payload jsonb not null,
  provider text,
  endpoint text,
  event_id text,
  created_at timestamptz not null default now(),
  available_at timestamptz not null default now(),
  state text not null default 'pending',
  attempts integer not null default 0,
  claim_token bigint not null default 0,
  claimed_by text,
  claimed_until timestamptz,
  published_at timestamptz,
  result jsonb,
  last_error text,

  constraint outbox_pkey primary key (outbox_id),
  constraint topic_is_bounded check (char_length(topic) between 1 and 255),
  constraint aggregate_is_bounded check (char_length(aggregate) between 1 and 255),
  constraint outbox_state_is_known check (state in ('pending', 'published', 'needs_review', 'skipped')),
  constraint published_means_published_at check ((state = 'published') = (published_at is not null)),
  constraint outbox_last_error_is_bounded check (char_length(last_error) <= 2000)
) with (fillfactor = 80);
create index outbox_due on outbox (available_at, outbox_id) where state = 'pending';
create index outbox_of_aggregate on outbox (aggregate, outbox_id) where state in ('pending', 'needs_review');

-- The JSON of a body, or null where it is not JSON that jsonb can hold. Read on demand: parsing at receipt was the
-- largest single cost on the server when measured (docs/adr/0001-json-on-demand.md).
create function mailroom_json(body bytea) returns jsonb
language plpgsql immutable parallel safe as $$
begin
  return ltrim(convert_from(body, 'UTF8'), chr(65279))::jsonb;
exception when others then
  return null;
end
$$;

-- Why mailroom_json(body) is null; null where it is not.
create function mailroom_json_problem(body bytea) returns text
language plpgsql immutable parallel safe as $$
begin
  perform ltrim(convert_from(body, 'UTF8'), chr(65279))::jsonb;
  return null;
exception when others then
  return sqlerrm;
end
$$;

-- Ledger and body together, with the columns people expect.
create view webhook_events as
select
  i.provider, i.endpoint, i.event_id, i.event_type, i.object_key, i.state, i.state_reason,
  case when i.item_path is null then mailroom_json(d.body) else mailroom_json(d.body) #> i.item_path end as payload,
  mailroom_json_problem(d.body) as payload_problem,
  i.attempts, i.max_attempts, i.infra_retries, i.total_attempts, i.last_error, i.failure_group,
  i.received_at, i.available_at, i.leased_by, i.leased_until, i.processed_at,
  i.provider_time, i.api_version, i.account, i.livemode, i.secret_label, i.origin,
  d.content_type, d.headers, d.body
from webhook_inbox i
left join webhook_delivery d using (delivery_id);

-- Starts events again from zero, whole, with a reason on record. Takes keys as provider/endpoint/event_id and answers one
-- line a key: retried, processed, ignored, leased, quarantined or not_found. Never touches a row that is leased, locked or
-- finished. total_attempts and the failures stay.
create function mailroom_retry(keys text[], actor text, reason text)
returns table (key text, outcome text)
language plpgsql as $$
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
$$;
