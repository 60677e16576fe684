-- More of the example domain: copies that keep the greatest snapshot, deltas that are only added, and facts told once.

-- Which facts have left as messages. Apart from the outbox, whose rows are pruned: a fact stays told.
create table told_facts (
  aggregate text not null,
  topic text not null,
  fact text not null,
  told_at timestamptz not null default now(),

  constraint told_facts_pkey primary key (aggregate, topic, fact),
  constraint told_aggregate_is_bounded check (char_length(aggregate) between 1 and 255),
  constraint told_topic_is_bounded check (char_length(topic) between 1 and 255),
  constraint told_fact_is_bounded check (char_length(fact) between 1 and 255)
);

-- Every table of copies ends with the same columns. The row shows the greatest (stage, snapshot_at, step, snapshot_event_id):
--   stage               what never goes back: a subscription that ended does not begin again
--   snapshot_at         the provider's time of the snapshot, often whole seconds
--   step                what comes first within one time, as far as the snapshot itself tells
--   contested           events of this very stage, time and step showed different things; which is true is not known
create table subscriptions (
  subscription_id text not null,
  account text,
  customer text,
  status text not null,
  cancel_at_period_end boolean,
  trial_end timestamptz,
  current_period_end timestamptz,

  stage smallint not null,
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint subscriptions_pkey primary key (subscription_id),
  constraint subscription_id_is_bounded check (char_length(subscription_id) between 1 and 255),
  constraint subscription_stage_is_of_status check (
    stage = case
      when status = 'incomplete' then 0
      when status in ('trialing', 'active', 'past_due', 'unpaid', 'paused') then 1
      when status in ('canceled', 'incomplete_expired') then 2
      else -1
    end
  )
) with (fillfactor = 80);

create table refunds (
  refund_id text not null,
  account text,
  charge text,
  payment_intent text,
  amount bigint not null,
  currency text not null,
  status text not null,

  stage smallint not null,
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint refunds_pkey primary key (refund_id),
  constraint refund_id_is_bounded check (char_length(refund_id) between 1 and 255),
  constraint refund_amount_is_positive check (amount > 0),
  constraint refund_currency_is_iso check (currency ~ '^[a-z]{3}$'),
  constraint refund_stage_is_of_status check (
    stage = coalesce(array_position(array['requires_action', 'pending', 'succeeded', 'canceled', 'failed'], status), 0) - 1
    and stage >= 0
  )
) with (fillfactor = 80);
create index refunds_of_charge on refunds (charge);

-- Append only, once a refund and kind.
create table refund_entries (
  entry_id bigint generated always as identity,
  refund_id text not null,
  kind text not null,
  amount bigint not null,
  currency text not null,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  booked_at timestamptz not null default now(),

  constraint refund_entries_pkey primary key (entry_id),
  constraint refund_entries_once unique (refund_id, kind),
  constraint refund_entries_refund_fkey foreign key (refund_id) references refunds (refund_id),
  constraint refund_entry_has_its_sign check (
    (kind = 'refund' and amount < 0) or (kind = 'refund_reversal' and amount > 0)
  ),
  constraint refund_entry_currency_is_iso check (currency ~ '^[a-z]{3}$')
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
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint disputes_pkey primary key (dispute_id),
  constraint dispute_id_is_bounded check (char_length(dispute_id) between 1 and 255),
  constraint dispute_currency_is_iso check (currency ~ '^[a-z]{3}$'),
  constraint dispute_stage_is_of_status check (
    stage = case
      when status in ('warning_needs_response', 'warning_under_review', 'needs_response', 'under_review') then 0
      when status in ('warning_closed', 'prevented', 'won', 'lost') then 1
      else -1
    end
  )
) with (fillfactor = 80);

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
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint checkout_sessions_pkey primary key (session_id),
  constraint session_id_is_bounded check (char_length(session_id) between 1 and 255),
  constraint session_currency_is_iso check (currency ~ '^[a-z]{3}$'),
  constraint session_stage_is_of_payment check (
    stage = case payment when 'pending' then 0 when 'failed' then 1 when 'paid' then 2 else -1 end
  )
) with (fillfactor = 80);

-- Shopify. Ids are numbers beyond 2^31 today and may be beyond 2^53; money is decimal text, kept to the digit.
create table orders (
  shop text not null,
  order_id bigint not null,
  name text,
  currency text not null,
  total_price numeric not null,
  financial_status text,
  cancelled_at timestamptz,

  stage smallint not null,
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint orders_pkey primary key (shop, order_id),
  constraint order_shop_is_bounded check (char_length(shop) between 1 and 255),
  constraint order_total_is_a_sum check (total_price >= 0 and total_price < 'Infinity'),
  constraint order_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  constraint order_financial_status_is_known check (
    financial_status in ('pending', 'authorized', 'partially_paid', 'paid', 'partially_refunded', 'refunded', 'voided', 'expired')
  ),
  constraint order_stage_is_of_cancellation check (stage = case when cancelled_at is null then 0 else 1 end)
) with (fillfactor = 80);

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
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint products_pkey primary key (shop, product_id),
  constraint product_shop_is_bounded check (char_length(shop) between 1 and 255),
  constraint product_prices_are_ordered check (
    num_nulls(lowest_price, highest_price) in (0, 2) and 0 <= lowest_price and lowest_price <= highest_price
    and highest_price < 'Infinity'
  ),
  constraint product_has_one_stage check (stage = 0)
) with (fillfactor = 80);

create table inventory_levels (
  shop text not null,
  inventory_item_id bigint not null,
  location_id bigint not null,
  -- null: not stocked here any more. May be negative: oversold.
  available bigint,

  stage smallint not null,
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint inventory_levels_pkey primary key (shop, inventory_item_id, location_id),
  constraint inventory_shop_is_bounded check (char_length(shop) between 1 and 255),
  constraint inventory_has_one_stage check (stage = 0)
) with (fillfactor = 80);

create table shops (
  shop text not null,
  uninstalled_at timestamptz not null,

  constraint shops_pkey primary key (shop),
  constraint shop_is_bounded check (char_length(shop) between 1 and 255)
);

-- What the law gives a customer or a merchant a right to. Doing it is a person's act; this row says what and until when.
create table compliance_requests (
  request_id bigint generated always as identity,
  shop text not null,
  kind text not null,
  customer_id bigint,
  provider_request_id bigint,
  orders bigint[] not null,
  due_at timestamptz not null,
  requested_at timestamptz not null default now(),
  done_at timestamptz,
  done_by text,

  constraint compliance_requests_pkey primary key (request_id),
  constraint compliance_shop_is_bounded check (char_length(shop) between 1 and 255),
  constraint compliance_kind_is_known check (kind in ('customers/data_request', 'customers/redact', 'shop/redact')),
  constraint compliance_names_its_customer check ((kind = 'shop/redact') = (customer_id is null)),
  constraint compliance_done_says_by_whom check (num_nulls(done_at, done_by) in (0, 2)),
  constraint compliance_done_by_is_bounded check (char_length(done_by) between 1 and 255)
);
-- One open request says it all, however many deliveries tell of it. Once done, the same words are a new request.
create unique index compliance_requests_open on compliance_requests
  (shop, kind, customer_id, provider_request_id, orders) nulls not distinct where done_at is null;

-- Marqeta. An account appears with the first transition of its holder; entries only with an account.
create table accounts (
  account_token text not null,
  status text not null,

  stage smallint not null,
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint accounts_pkey primary key (account_token),
  constraint account_token_is_bounded check (char_length(account_token) between 1 and 255),
  constraint account_stage_is_of_status check (
    stage = case
      when status = 'UNVERIFIED' then 0
      when status in ('LIMITED', 'ACTIVE', 'SUSPENDED') then 1
      when status = 'CLOSED' then 2
      else -1
    end
  )
) with (fillfactor = 80);

create table cards (
  card_token text not null,
  account_token text,
  state text not null,

  stage smallint not null,
  snapshot_at timestamptz not null,
  step smallint not null,
  snapshot_event_id text not null,
  contested boolean not null,
  updated_at timestamptz not null default now(),

  constraint cards_pkey primary key (card_token),
  constraint card_token_is_bounded check (char_length(card_token) between 1 and 255),
  constraint card_stage_is_of_state check (
    stage = case
      when state in ('UNACTIVATED', 'UNVERIFIED') then 0
      when state in ('ACTIVE', 'SUSPENDED', 'LIMITED') then 1
      when state = 'TERMINATED' then 2
      else -1
    end
  )
) with (fillfactor = 80);

-- Append only: one row a transaction message. No balance is stored anywhere, so none can be lost or counted twice.
create table account_entries (
  transaction_token text not null,
  account_token text not null,
  kind text not null,
  amount numeric not null,
  currency text not null,
  -- The message that this one follows: a clearing follows its authorization.
  preceding_token text,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  booked_at timestamptz not null default now(),

  constraint account_entries_pkey primary key (transaction_token),
  constraint account_entries_account_fkey foreign key (account_token) references accounts (account_token),
  constraint transaction_token_is_bounded check (char_length(transaction_token) between 1 and 255),
  constraint preceding_token_is_bounded check (char_length(preceding_token) between 1 and 255),
  constraint entry_kind_is_known check (kind in ('authorization', 'clearing', 'deposit')),
  constraint entry_amount_is_a_sum check (amount >= 0 and amount < 'Infinity'),
  constraint entry_currency_is_iso check (currency ~ '^[A-Z]{3}$')
);
create index account_entries_of_account on account_entries (account_token);
create index account_entries_following on account_entries (preceding_token) where preceding_token is not null;

-- What was cleared and deposited makes the balance; an authorization that nothing follows yet is held.
create view account_balances as
select
  e.account_token,
  e.currency,
  coalesce(sum(case e.kind when 'deposit' then e.amount when 'clearing' then -e.amount end), 0) as balance,
  coalesce(sum(e.amount) filter (
    where e.kind = 'authorization'
      and not exists (select from account_entries f where f.preceding_token = e.transaction_token)
  ), 0) as held
from account_entries e
group by e.account_token, e.currency;
