-- Three roles with the least they need. Run it as the owner of the tables after each `mailroom migrate`; it may be run again.
-- They cannot log in: make a login of your own for each process and grant it the role, for example
--   create role ingest_1 login password '...' in role mailroom_ingest;
-- Tables of your own that handlers write are granted to mailroom_worker by you.

do $$
declare
  name text;
begin
  foreach name in array array['mailroom_ingest', 'mailroom_worker', 'mailroom_operator'] loop
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
grant select, insert, update, delete on inbox_rejections to mailroom_ingest;

-- Workers: work events off and write the business tables.
grant select, update on webhook_inbox to mailroom_worker;
grant select on webhook_delivery to mailroom_worker;
grant insert on inbox_failures, operator_actions to mailroom_worker;
grant select, insert, update on failure_groups, pauses to mailroom_worker;
grant select, insert, update, delete on inbox_objects to mailroom_worker;
-- Appended by handlers, marked by the relay.
grant select, insert, update on outbox to mailroom_worker;
-- What was asked of a provider and what came of it; how long nobody may call one.
grant select, insert, update, delete on effect_results to mailroom_worker;
grant select, insert, update on provider_limits to mailroom_worker;
grant select, insert, update on invoices, subscriptions, refunds, disputes, checkout_sessions, anomalies to mailroom_worker;
grant select, insert, update on orders, products, inventory_levels, shops, compliance_requests to mailroom_worker;
grant select, insert, update on accounts, cards to mailroom_worker;
grant select, insert on ledger_entries, refund_entries, account_entries, told_facts to mailroom_worker;

-- Operators: see everything, start events again through mailroom_retry, which needs the right to update and leaves a record.
do $$ begin execute format('grant select on all tables in schema %I to mailroom_operator', current_schema); end $$;
grant update on webhook_inbox, outbox to mailroom_operator;
grant insert on operator_actions to mailroom_operator;
grant insert, update on pauses to mailroom_operator;
grant update, delete on inbox_objects to mailroom_operator;
grant execute on function mailroom_retry(text[], text, text) to mailroom_operator;
