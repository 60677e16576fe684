-- Retention: what finds old rows, and who is at it.
-- Locks webhook_inbox while the two indexes are built; run it while the ledger is small, or stop ingestors and workers first.

-- Finished rows by age: the ledger is pruned from its old end. 66 bytes of WAL an event when measured.
create index webhook_inbox_finished on webhook_inbox (processed_at) where processed_at is not null;

-- Which deliveries still have an unfinished event, so that no such body is ever dropped. Only as large as what is unfinished.
create index webhook_inbox_unfinished on webhook_inbox (delivery_id) where processed_at is null;

-- Work that one process at a time does for the whole fleet. A row a chore; the lease is its columns.
create table housekeeping (
  chore text not null,
  held_by text not null,
  held_until timestamptz not null,
  begun_at timestamptz not null,
  -- The last time that it was done to its end.
  finished_at timestamptz,

  constraint housekeeping_pkey primary key (chore),
  constraint chore_is_bounded check (char_length(chore) between 1 and 64),
  constraint chore_held_by_is_bounded check (char_length(held_by) between 1 and 255)
);

-- As before, and an event whose body is gone is refused: a handler would have nothing to read.
create or replace function mailroom_retry(keys text[], actor text, reason text)
returns table (key text, outcome text)
language plpgsql as $$
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
$$;
