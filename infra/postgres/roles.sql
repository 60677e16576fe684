-- Four roles with the least they need. Run it as the owner of the tables after each `mailroom migrate`; it may be run again.
-- They cannot log in: make a login of your own for each process and grant it the role, for example
--   create role ingest_1 login password '...' in role mailroom_ingest;
--   create role worker_1 login password '...' in role mailroom_worker, mailroom_pruner;
-- Tables of your own that handlers write are granted to mailroom_worker by you.

do $$
declare
  name text;
begin
  foreach name in array array['mailroom_ingest', 'mailroom_worker', 'mailroom_pruner', 'mailroom_operator'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
end
$$;

-- Ingestors: commit receipts and keep the record of what they refused. They cannot change or delete an event.
grant select, insert on webhook_inbox, webhook_delivery to mailroom_ingest;
grant select, insert, update on inbox_duplicates, inbox_secret_uses to mailroom_ingest;
-- The lock that a batch of deletes takes needs the right to update.
grant select, insert, update, delete on inbox_rejections, inbox_arrivals to mailroom_ingest;

-- Workers: work events off and write the business tables.
grant select, update on webhook_inbox to mailroom_worker;
grant select on webhook_delivery, housekeeping to mailroom_worker;
-- For its gauges.
grant select on inbox_arrivals, findings, reconcile_cursors to mailroom_worker;
grant insert on inbox_failures, operator_actions to mailroom_worker;
grant select, insert, update on failure_groups, pauses to mailroom_worker;
grant select, insert, update, delete on inbox_objects to mailroom_worker;
-- Appended by handlers, marked by the relay.
grant select, insert, update on outbox to mailroom_worker;
-- What was asked of a provider and what came of it; how long nobody may call one.
grant select, insert, update, delete on effect_results to mailroom_worker;
grant select, insert, update on provider_limits to mailroom_worker;
-- What they asked a provider for comes in as an event; they may add events, never take one away.
grant insert on webhook_inbox, webhook_delivery to mailroom_worker;
grant select, insert, update on inbox_duplicates to mailroom_worker;
grant select, insert, update on invoices, subscriptions, refunds, disputes, checkout_sessions, anomalies to mailroom_worker;
grant select, insert, update on orders, products, inventory_levels, shops, compliance_requests to mailroom_worker;
grant select, insert, update on accounts, cards to mailroom_worker;
grant select, insert on ledger_entries, refund_entries, account_entries, told_facts to mailroom_worker;

-- Whoever deletes what is kept no longer: workers, or a login of its own that runs `mailroom prune` on a schedule. Apart from
-- mailroom_worker, so that handlers can be kept from deleting an event. The lock that a batch of deletes takes needs the right to
-- update one column.
grant select, insert, update on housekeeping to mailroom_pruner;
grant select, delete on webhook_inbox, webhook_delivery, inbox_duplicates, inbox_failures, failure_groups, inbox_rejections, outbox,
  effect_results, anomalies, findings, operator_actions, pauses, inbox_secret_uses to mailroom_pruner;
-- For erasing by what a body says (docs/retention.md).
grant select on webhook_events to mailroom_pruner;
grant update (event_id) on webhook_inbox, inbox_duplicates to mailroom_pruner;
grant update (delivery_id) on webhook_delivery to mailroom_pruner;
grant update (failure_id) on inbox_failures to mailroom_pruner;
grant update (failure_group) on failure_groups to mailroom_pruner;
grant update (rejection_id) on inbox_rejections to mailroom_pruner;
grant update (outbox_id) on outbox to mailroom_pruner;
grant update (effect_key) on effect_results to mailroom_pruner;
grant update (finding_id) on findings to mailroom_pruner;
grant update (anomaly_id) on anomalies to mailroom_pruner;
grant update (action_id) on operator_actions to mailroom_pruner;
grant update (pause_id) on pauses to mailroom_pruner;
grant update (day) on inbox_secret_uses to mailroom_pruner;

-- Operators: see everything, start events again through mailroom_retry, which needs the right to update and leaves a record.
do $$ begin execute format('grant select on all tables in schema %I to mailroom_operator', current_schema); end $$;
grant update on webhook_inbox, outbox to mailroom_operator;
grant insert on operator_actions to mailroom_operator;
-- To reconcile and to repair: what is missing comes in as the ingestors write it.
grant insert on webhook_inbox, webhook_delivery to mailroom_operator;
grant insert, update on inbox_duplicates, reconcile_cursors, findings to mailroom_operator;
grant insert, update, delete on reconcile_runners, reconcile_coverage to mailroom_operator;
grant insert, update on pauses to mailroom_operator;
grant update, delete on inbox_objects to mailroom_operator;
grant execute on function mailroom_retry(text[], text, text) to mailroom_operator;
