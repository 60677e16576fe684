-- What a fleet of workers needs beyond the claim: suspects, fair turns, failure groups, pauses, objects in turn.
-- Locks webhook_inbox while the indexes are built; run it while the ledger is small, or stop the workers first.

-- Its lease ran out with no outcome, or its backend died: it may kill processes, so it is next claimed alone.
alter table webhook_inbox add column suspect boolean not null default false;

-- The claim index, by endpoint: endpoints take turns, so that a flood on one does not starve another.
drop index webhook_inbox_due;
create index webhook_inbox_due on webhook_inbox (provider, endpoint, available_at, event_id) where state = 'pending';
create index webhook_inbox_suspects on webhook_inbox (available_at) where state = 'pending' and suspect;

-- What waits for one pause or one object, in the order in which it came.
create index webhook_inbox_held on webhook_inbox (held_by, received_at, event_id) where state = 'held';

-- Failures that look alike, since when and since which release.
create table failure_groups (
  failure_group text not null,
  provider text not null,
  event_type text not null,
  class text not null,
  sqlstate text,
  message text not null,
  first_seen_at timestamptz not null default now(),
  first_release text,
  last_seen_at timestamptz not null default now(),
  last_release text,
  failures bigint not null default 1,

  constraint failure_groups_pkey primary key (failure_group),
  constraint failure_group_is_a_hash check (failure_group ~ '^[0-9a-f]{16}$'),
  constraint failure_group_class_is_bounded check (char_length(class) between 1 and 64),
  constraint failure_group_message_is_bounded check (char_length(message) <= 2000),
  constraint failure_group_releases_are_bounded check (
    char_length(first_release) between 1 and 255 and char_length(last_release) between 1 and 255
  ),
  constraint failures_are_counted check (failures > 0)
) with (fillfactor = 50);

-- What is paused, by whom and why. Receiving goes on; rows wait as held, and burn no attempts.
create table pauses (
  pause_id bigint generated always as identity,
  scope text not null,
  provider text,
  endpoint text,
  event_type text,
  failure_group text,
  -- operator, or the automatic rule that opened it.
  opened_by text not null,
  reason text not null,
  opened_at timestamptz not null default now(),
  -- A breaker tries one row when this comes; null for what only an operator ends.
  next_canary_at timestamptz,
  canaries integer not null default 0,
  ended_at timestamptz,
  ended_by text,

  constraint pauses_pkey primary key (pause_id),
  constraint pause_scope_is_whole check (
    case scope
      when 'endpoint' then num_nonnulls(provider, endpoint) = 2 and num_nonnulls(event_type, failure_group) = 0
      when 'event_type' then num_nonnulls(provider, event_type) = 2 and num_nonnulls(endpoint, failure_group) = 0
      when 'failure_group' then failure_group is not null and num_nonnulls(provider, endpoint, event_type) = 0
      else false
    end
  ),
  constraint pause_texts_are_bounded check (
    char_length(opened_by) between 1 and 255 and char_length(btrim(reason)) between 1 and 2000
  ),
  constraint pause_ends_whole check (num_nulls(ended_at, ended_by) in (0, 2))
);
-- One pause of a kind at a time.
create unique index pauses_open on pauses (scope, provider, endpoint, event_type, failure_group) nulls not distinct
  where ended_at is null;
create index pauses_ended on pauses (ended_at) where ended_at is not null;

-- Whose turn it is, for handlers that ask for one event of an object at a time. The row is the lock.
create table inbox_objects (
  provider text not null,
  object_key text not null,
  endpoint text not null,
  event_id text not null,
  since timestamptz not null default now(),

  constraint inbox_objects_pkey primary key (provider, object_key)
) with (fillfactor = 50);

create or replace function mailroom_retry(keys text[], actor text, reason text)
returns table (key text, outcome text)
language plpgsql as $$
#variable_conflict use_column
declare
  wanted record;
  row_state text;
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
      for update skip locked
    ) as free
    where i.provider = free.provider and i.endpoint = free.endpoint and i.event_id = free.event_id;
    if found then
      retried := retried || wanted.k;
      key := wanted.k; outcome := 'retried';
    else
      select x.state into row_state from webhook_inbox x
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
