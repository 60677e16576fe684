/** Something to be woken for. */
export interface Alert {
  readonly name: string;
  /** PromQL. */
  readonly expression: string;
  /** How long it must hold before anybody is called. */
  readonly after: string;
  readonly meaning: string;
  readonly action: string;
}

/** What to alert on, most urgent first; printed in docs/metrics.md. A test checks that every metric named here exists. */
export const alerts: readonly Alert[] = [
  {
    name: 'Deliveries are refused for our own reasons',
    expression:
      'sum(rate(mailroom_deliveries_total{outcome=~"overloaded|deadline_passed|database_failed|fault"}[5m])) > 0',
    after: '5m',
    meaning: 'Providers get 503. They redeliver for hours or days, so nothing is lost yet.',
    action:
      'Look at the database first, then at `mailroom_pool_waiting_callers` and `mailroom_write_duration_seconds`.',
  },
  {
    name: 'Work is falling behind',
    expression: 'max(mailroom_oldest_due_age_seconds) > 300',
    after: '5m',
    meaning: 'The oldest due event has waited for five minutes: workers are down, too few, or stuck.',
    action: 'Check that workers run and claim (`mailroom_events_claimed_total`); add workers if they are busy.',
  },
  {
    name: 'Events wait for a person',
    expression: 'max(mailroom_inbox_events{state=~"exhausted|rejected|quarantined"}) > 0',
    after: '0m',
    meaning: 'They will not be tried again by themselves.',
    action: '`mailroom list --state exhausted`, mend the cause, then `mailroom retry KEY --reason "..."`.',
  },
  {
    name: 'Messages wait for a person',
    expression: 'max(mailroom_outbox_messages{state=~"needs_review|unrouted"}) > 0',
    after: '0m',
    meaning:
      'A message was refused or failed too often, and what is behind it of its aggregate waits; or no sink takes a topic.',
    action: '`mailroom outbox`, mend the cause, then `mailroom outbox retry ID --reason "..."` (docs/outbox.md).',
  },
  {
    name: 'Sending is falling behind',
    expression: 'max(mailroom_outbox_oldest_due_age_seconds) > 300',
    after: '5m',
    meaning: 'The oldest due message has waited for five minutes: no relay runs, or a sink is slow.',
    action: 'Check that workers run with OUTBOX_RELAY=on; look at `mailroom_outbox_send_duration_seconds` by sink.',
  },
  {
    name: 'Handlers fail',
    expression:
      'sum by (event_type) (rate(mailroom_attempts_total{outcome="retried"}[10m])) / sum by (event_type) (rate(mailroom_attempts_total[10m])) > 0.2',
    after: '10m',
    meaning:
      'More than a fifth of the attempts at one type fail: usually a bad release. Hours remain before exhaustion.',
    action: 'Read the log lines `attempt_finished` with the outcome `retried`, or `mailroom list --state pending`.',
  },
  {
    name: 'Signatures do not match',
    expression: 'sum by (provider, endpoint) (rate(mailroom_deliveries_rejected_total[10m])) > 0.1',
    after: '10m',
    meaning: 'A rotated secret that is not configured here, a wrong clock, a proxy that changes bodies, or a stranger.',
    action: 'See the label `reason`; compare the configured secrets (`mailroom config`) with the provider.',
  },
  {
    name: 'An endpoint is silent',
    expression: 'sum by (provider, endpoint) (rate(mailroom_events_received_total[1d])) == 0',
    after: '1h',
    meaning: 'Nothing came for a day: the provider may have disabled the endpoint. Choose the window by your traffic.',
    action: "Look at the endpoint in the provider's console.",
  },
  {
    name: 'An event type has stopped coming',
    expression: 'max(mailroom_silent_event_types) > 0',
    after: '10m',
    meaning: 'It is silent for more than twice as long as it ever is, over fourteen days (docs/reconciliation.md).',
    action: '`mailroom status` names it; `mailroom reconcile events --dry-run` tells whether the provider has more.',
  },
  {
    name: 'A provider shows something else',
    expression: 'max(mailroom_open_findings) > 0',
    after: '0m',
    meaning: 'A comparison found drift, or a webhook registration that is gone or disabled.',
    action: '`mailroom findings`.',
  },
  {
    name: 'Nobody reconciles',
    expression: 'max(mailroom_swept_age_seconds) > 7200',
    after: '0m',
    meaning: '`mailroom reconcile events` does not run any more, or fails. What is lost now stays lost.',
    action: 'Look at its cron job; run it by hand to see what it says.',
  },
  {
    name: 'Acknowledging is slow',
    expression:
      'histogram_quantile(0.99, sum by (le) (rate(mailroom_ack_duration_seconds_bucket{outcome="stored"}[5m]))) > 1',
    after: '10m',
    meaning: 'One delivery in a hundred takes more than a second; at five, Shopify counts it as failed.',
    action: 'Look at `mailroom_write_duration_seconds` and at what holds locks in the database.',
  },
  {
    name: 'Nothing is pruned',
    expression: 'min(mailroom_prune_age_seconds) > 86400',
    after: '1h',
    meaning: 'Tables grow, and bodies are kept for longer than was promised.',
    action: 'Look for `prune_failed` in the log of the workers; `mailroom prune --dry-run` says what waits.',
  },
  {
    name: 'Gauges cannot be read',
    expression: 'increase(mailroom_collect_failures_total[10m]) > 3',
    after: '0m',
    meaning: 'The figures of the backlog are stale.',
    action: 'Look at the database.',
  },
];
