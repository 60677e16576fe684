import type { Metric } from './metric.ts';

/** The part of the table of metrics that tells whether anything was missed. Every worker reports all of it. */
export const reconciliationMetrics = {
  silentTypes: {
    type: 'gauge',
    name: 'mailroom_silent_event_types',
    labels: {},
    help: 'Event types that used to come and have stopped; `mailroom status` names them.',
    from: ['worker'],
  },
  openFindings: {
    type: 'gauge',
    name: 'mailroom_open_findings',
    labels: {},
    help: 'Differences from the providers and wrong registrations that nobody has closed (docs/reconciliation.md).',
    from: ['worker'],
  },
  sweptAge: {
    type: 'gauge',
    name: 'mailroom_swept_age_seconds',
    labels: {},
    help: 'How long ago the list that is furthest behind was swept to; 0 where nothing is swept.',
    from: ['worker'],
  },
} as const satisfies Readonly<Record<string, Metric>>;
