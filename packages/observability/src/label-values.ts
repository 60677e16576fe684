// The values that labels of metrics can take, where there is a list of them.

/** How POSTs to an endpoint end, in the words of the log. */
export const deliveryOutcomes = [
  'stored',
  'handshake',
  'rejected',
  'unverifiable',
  'unknown_endpoint',
  'malformed',
  'too_large',
  'too_slow',
  'aborted',
  'shutting_down',
  'overloaded',
  'deadline_passed',
  'database_failed',
  'fault',
] as const;

export const rejectionReasons = [
  'signature_missing',
  'signature_malformed',
  'signature_mismatch',
  'timestamp_stale',
  'timestamp_future',
] as const;

/** What the signature clinic finds behind a rejection. */
export const diagnoses = [
  'no_header',
  'header_malformed',
  'stale',
  'from_the_future',
  'secret_not_valid_now',
  'other_endpoint',
  'other_mode',
  'secret_decoding',
  'body_missing',
  'body_trimmed_or_padded',
  'body_line_ends',
  'body_bom',
  'body_charset',
  'body_reserialised',
  'body_decompressed',
  'unknown',
  'not_diagnosed',
] as const;

export const attemptOutcomes = [
  'processed',
  'ignored',
  'snoozed',
  'rejected',
  'retried',
  'exhausted',
  'parked',
  'held',
  'stale',
  'not_recorded',
] as const;

export const outboxStates = ['pending', 'held', 'needs_review', 'unrouted'] as const;

/** How an attempt at a message ends. */
export const sendOutcomes = [
  'sent',
  'retried',
  'postponed',
  'needs_review',
  'unrouted',
  'stale',
  'not_recorded',
] as const;

/** The tables of `retentionRules`. */
export const prunedTables = [
  'webhook_delivery',
  'webhook_inbox',
  'inbox_duplicates',
  'inbox_failures',
  'failure_groups',
  'inbox_rejections',
  'outbox',
  'effect_results',
  'anomalies',
  'findings',
  'operator_actions',
  'pauses',
  'inbox_secret_uses',
] as const;
