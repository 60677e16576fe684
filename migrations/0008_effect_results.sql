-- What was asked of a provider and what came of it, kept under the idempotency key on our side, because the provider forgets
-- keys after a day or so. Additive: workers of the release before may run meanwhile.

create table effect_results (
  effect_key text not null,
  provider text not null,
  operation text not null,
  -- SHA-256 of what is asked for, hex: one key never stands for two different requests.
  request_hash text not null,
  account text,
  -- The message that asked first.
  outbox_id bigint not null,
  -- Committed before the first call: from then on the call may have reached the provider.
  asked_at timestamptz not null default now(),
  -- Raised where the provider remembers a refusal or a fault under the key and it is certain that nothing happened.
  generation integer not null default 1,
  generation_at timestamptz not null default now(),
  result jsonb,
  -- answer: the provider said so. lookup: the object was found by the key in its metadata.
  known_by text,
  recorded_at timestamptz,

  constraint effect_results_pkey primary key (effect_key),
  constraint effect_key_is_bounded check (char_length(effect_key) between 1 and 255),
  constraint effect_provider_is_bounded check (char_length(provider) between 1 and 255),
  constraint effect_operation_is_bounded check (char_length(operation) between 1 and 255),
  constraint effect_request_hash_is_sha256 check (request_hash ~ '^[0-9a-f]{64}$'),
  constraint effect_account_is_bounded check (char_length(account) between 1 and 255),
  constraint effect_generation_counts check (generation >= 1),
  constraint effect_is_recorded_whole check (num_nulls(result, known_by, recorded_at) in (0, 3)),
  constraint effect_known_by_is_known check (known_by in ('answer', 'lookup'))
);

-- A provider that said "too many requests", for all workers: nobody calls it before then.
create table provider_limits (
  provider text not null,
  not_before timestamptz not null,
  reason text not null,
  -- How often in a row it said so.
  hits integer not null default 1,
  limited_at timestamptz not null default now(),

  constraint provider_limits_pkey primary key (provider),
  constraint provider_limits_provider_is_bounded check (char_length(provider) between 1 and 255),
  constraint provider_limits_reason_is_bounded check (char_length(reason) between 1 and 2000),
  constraint provider_limits_hits_count check (hits >= 1)
);
