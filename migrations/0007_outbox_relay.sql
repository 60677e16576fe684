-- What the relay needs beyond the row: order kept outside the claim index, messages that no sink takes, whole claims.
-- Locks outbox while the indexes are built; run it while the outbox is small, or stop the workers first.

alter table outbox
  drop constraint outbox_state_is_known,
  -- held: waits behind an earlier message of its aggregate. unrouted: no sink takes its topic.
  add constraint outbox_state_is_known check (
    state in ('pending', 'held', 'unrouted', 'published', 'needs_review', 'skipped')
  ),
  -- A claim is whole or absent, and only a pending row has one. claim_token stays and is never used again.
  add constraint outbox_claim_is_whole check (num_nulls(claimed_by, claimed_until) in (0, 2)),
  add constraint outbox_only_pending_is_claimed check (state = 'pending' or claimed_by is null),
  add constraint outbox_claimed_by_is_bounded check (char_length(claimed_by) between 1 and 255),
  add constraint outbox_counters_are_sane check (attempts >= 0 and claim_token >= 0);

alter table outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- What an aggregate has not got rid of, in the order in which it is to leave. Whatever is not the first waits.
drop index outbox_of_aggregate;
create index outbox_of_aggregate on outbox (aggregate, outbox_id) where state in ('pending', 'held', 'needs_review');

-- For the sweep that looks for held messages with nothing before them, and for the count.
create index outbox_held on outbox (aggregate) where state = 'held';

-- For workers that learn a new route, and for operators.
create index outbox_unrouted on outbox (topic, outbox_id) where state = 'unrouted';
create index outbox_needs_review on outbox (outbox_id) where state = 'needs_review';
