-- What the signature clinic found out about deliveries that were not verified, and when each secret last matched.

-- Short-lived: the ingestors delete the oldest rows beyond a fixed number, so forged requests cannot fill the database.
-- Nothing here was verified: whatever comes from the request is a stranger's text.
create table inbox_rejections (
  rejection_id bigint generated always as identity,
  rejected_at timestamptz not null default now(),
  provider text not null,
  endpoint text not null,
  -- Why it was refused (a RejectionReason), and what the clinic thinks is behind it: a code, and a sentence for a person.
  reason text not null,
  diagnosis text not null,
  explanation text not null,
  -- Of the secret that would have matched, where there is one.
  secret_label text,
  -- How far the signed time was off, negative for one in the future.
  skew_ms bigint,
  body_sha256 text not null,
  body_bytes bigint not null,
  content_type text,
  content_encoding text,
  header_names text[] not null,
  -- Only where the endpoint has "keepRejectedBodies"; perhaps cut short.
  body bytea,

  constraint inbox_rejections_pkey primary key (rejection_id),
  constraint rejection_provider_is_a_name check (provider ~ '^[a-z][a-z0-9-]{0,62}$'),
  constraint rejection_endpoint_is_a_name check (endpoint ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint rejection_reason_is_bounded check (char_length(reason) between 1 and 64),
  constraint rejection_diagnosis_is_bounded check (char_length(diagnosis) between 1 and 64),
  constraint rejection_explanation_is_bounded check (char_length(explanation) between 1 and 1000),
  constraint rejection_label_is_bounded check (char_length(secret_label) between 1 and 255),
  constraint rejection_hash_is_a_hash check (body_sha256 ~ '^[0-9a-f]{64}$'),
  constraint rejection_bytes_are_counted check (body_bytes >= 0),
  constraint rejection_content_type_is_bounded check (char_length(content_type) <= 255),
  constraint rejection_content_encoding_is_bounded check (char_length(content_encoding) <= 255),
  constraint rejection_headers_are_bounded check (cardinality(header_names) <= 64 and octet_length(array_to_string(header_names, '')) <= 8192),
  constraint rejection_body_is_bounded check (octet_length(body) <= 65536)
);

-- For deleting the oldest of the few rows that hold a body.
create index inbox_rejections_with_body on inbox_rejections (rejection_id) where body is not null;

-- One row a secret and day, so that an old secret can be seen to be out of use. Written some seconds after the matches, in
-- batches, outside the acknowledging path. Counts verified deliveries, duplicates and handshakes too.
create table inbox_secret_uses (
  provider text not null,
  endpoint text not null,
  secret_label text not null,
  -- In UTC.
  day date not null,
  matches bigint not null,
  last_at timestamptz not null,

  constraint inbox_secret_uses_pkey primary key (provider, endpoint, secret_label, day),
  constraint secret_use_label_is_bounded check (char_length(secret_label) between 1 and 255),
  constraint secret_uses_are_counted check (matches > 0)
) with (fillfactor = 80);
