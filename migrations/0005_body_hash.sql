-- Where an event is named by a header that nobody signs (Shopify, GitHub), a captured body can come again under a fresh
-- name. The hash of the signed bytes stands beside such names, as long as the ledger keeps them, so that it is seen.
-- Null for every other event: its name is signed, and it costs nothing.
alter table webhook_inbox
  add column body_sha256 bytea,
  add constraint body_sha256_is_one check (octet_length(body_sha256) = 32);

create index webhook_inbox_same_body on webhook_inbox (provider, endpoint, body_sha256)
  where body_sha256 is not null;
