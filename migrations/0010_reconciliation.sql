-- What came and what should have come: arrivals by hour, the sweeps over the providers' own lists, what they found.
-- Locks webhook_inbox while the index is built; it covers only events that are named by unsigned headers (Shopify, GitHub).

-- How many events of a type came by webhook in an hour, for knowing when one has stopped. Written some seconds later, in
-- batches, outside the acknowledging path.
create table inbox_arrivals (
  provider text not null,
  endpoint text not null,
  event_type text not null,
  hour timestamptz not null,
  events bigint not null,

  constraint inbox_arrivals_pkey primary key (provider, endpoint, event_type, hour),
  constraint arrival_type_is_bounded check (char_length(event_type) between 1 and 255),
  constraint arrivals_are_counted check (events > 0)
) with (fillfactor = 80);
create index inbox_arrivals_by_hour on inbox_arrivals (hour);

-- Which version of an object has come, where events have no id that the provider's list would repeat.
create index webhook_inbox_versions on webhook_inbox (provider, endpoint, object_key, provider_time)
  where body_sha256 is not null;

-- Who reconciles right now. The row is the lease: it needs no session, so it works behind a pooler in transaction mode.
create table reconcile_runners (
  task text not null,
  holder text not null,
  token uuid not null,
  since timestamptz not null default now(),
  leased_until timestamptz not null,

  constraint reconcile_runners_pkey primary key (task),
  constraint runner_task_is_bounded check (char_length(task) between 1 and 64),
  constraint runner_holder_is_bounded check (char_length(holder) between 1 and 255)
) with (fillfactor = 50);

-- How far each list has been swept: everything before it is in the ledger. account is '' for the endpoint's own.
create table reconcile_cursors (
  provider text not null,
  endpoint text not null,
  account text not null,
  swept_until timestamptz not null,
  swept_at timestamptz not null default now(),

  constraint reconcile_cursors_pkey primary key (provider, endpoint, account),
  constraint cursor_account_is_bounded check (char_length(account) <= 255)
) with (fillfactor = 50);

-- What a provider lists for an hour, and how it got here. A sweep writes an hour whole; a later one over the same hour
-- writes it anew.
create table reconcile_coverage (
  provider text not null,
  endpoint text not null,
  account text not null,
  hour timestamptz not null,
  event_type text not null,
  expected integer not null,
  -- By webhook, in good time.
  received integer not null,
  -- By webhook, long after it happened.
  late integer not null,
  -- By a sweep; its webhook may have come later still.
  injected integer not null,
  swept_at timestamptz not null default now(),

  constraint reconcile_coverage_pkey primary key (provider, endpoint, account, hour, event_type),
  constraint coverage_account_is_bounded check (char_length(account) <= 255),
  constraint coverage_type_is_bounded check (char_length(event_type) between 1 and 255),
  constraint coverage_adds_up check (
    received >= 0 and late >= 0 and injected >= 0 and expected > 0 and received + late + injected <= expected
  )
) with (fillfactor = 80);
create index reconcile_coverage_by_hour on reconcile_coverage (hour);

-- What differs between a provider and our tables, or is wrong with a registration. One row a kind and object.
create table findings (
  finding_id bigint generated always as identity,
  provider text not null,
  endpoint text not null,
  account text not null,
  kind text not null,
  object_key text not null,
  ours text,
  theirs text,
  -- The event that would repair it, as it would come in; null: there is none.
  repair_body bytea,
  repair_headers jsonb,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  reopened integer not null default 0,
  repaired_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  close_reason text,

  constraint findings_pkey primary key (finding_id),
  constraint findings_once unique (provider, endpoint, account, kind, object_key),
  constraint finding_provider_is_a_name check (provider ~ '^[a-z][a-z0-9-]{0,62}$'),
  constraint finding_endpoint_is_a_name check (endpoint ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint finding_account_is_bounded check (char_length(account) <= 255),
  constraint finding_kind_is_known check (kind in (
    'missing', 'status_differs', 'amount_differs', 'paid_on_void',
    'registration_missing', 'registration_disabled', 'registration_incomplete'
  )),
  constraint finding_object_is_bounded check (char_length(object_key) between 1 and 2048),
  constraint finding_texts_are_bounded check (char_length(ours) <= 2000 and char_length(theirs) <= 2000),
  constraint finding_repair_is_whole check (num_nulls(repair_body, repair_headers) in (0, 2)),
  constraint finding_closes_whole check (num_nulls(closed_at, closed_by, close_reason) in (0, 3)),
  constraint finding_closed_by_is_bounded check (char_length(closed_by) between 1 and 255),
  constraint finding_close_reason_is_given check (char_length(btrim(close_reason)) between 1 and 2000)
) with (fillfactor = 80);
create index findings_open on findings (finding_id) where closed_at is null;
