-- The example domain: invoices, what was booked for them, and what a person should look at.

create table invoices (
  invoice_id text not null,
  account text,
  customer text,
  subscription text,
  currency text,
  amount_due bigint,
  amount_paid bigint,

  -- draft < open < uncollectible < paid < void: the greatest that any event has shown, in whatever order they came.
  status text not null,
  -- Which event the columns above come from: the greatest (status, provider time, event id).
  snapshot_at timestamptz not null,
  snapshot_event_id text not null,

  failed_payments integer not null default 0,
  updated_at timestamptz not null default now(),

  constraint invoices_pkey primary key (invoice_id),
  constraint invoice_id_is_bounded check (char_length(invoice_id) between 1 and 255),
  constraint invoice_status_is_known check (status in ('draft', 'open', 'uncollectible', 'paid', 'void')),
  constraint invoice_currency_is_iso check (currency ~ '^[a-z]{3}$')
) with (fillfactor = 80);

-- Append only. The unique key is what makes booking the same payment twice impossible.
create table ledger_entries (
  entry_id bigint generated always as identity,
  invoice_id text not null,
  kind text not null,
  amount bigint not null,
  currency text not null,
  provider text not null,
  endpoint text not null,
  event_id text not null,
  booked_at timestamptz not null default now(),

  constraint ledger_entries_pkey primary key (entry_id),
  constraint ledger_entries_once unique (invoice_id, kind),
  constraint ledger_entries_invoice_fkey foreign key (invoice_id) references invoices (invoice_id),
  constraint ledger_kind_is_known check (kind in ('payment', 'payment_reversal')),
  constraint ledger_currency_is_iso check (currency ~ '^[a-z]{3}$')
);

-- Facts that should not be: a person looks at them. One row a kind and object, however often it is seen.
create table anomalies (
  anomaly_id bigint generated always as identity,
  kind text not null,
  object_key text not null,
  detail jsonb not null,
  seen_at timestamptz not null default now(),
  closed_at timestamptz,

  constraint anomalies_pkey primary key (anomaly_id),
  constraint anomalies_once unique (kind, object_key),
  constraint anomaly_kind_is_bounded check (char_length(kind) between 1 and 64),
  constraint anomaly_object_is_bounded check (char_length(object_key) between 1 and 255)
);
