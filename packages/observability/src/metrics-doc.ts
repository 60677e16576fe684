import { alerts } from './alerts.ts';
import { logEvents } from './log-events.ts';
import type { LabelBound, Metric } from './metric.ts';
import { metricTable } from './metric-table.ts';

/** The whole text of docs/metrics.md, from the tables. */
export function renderMetricsDoc(): string {
  return [
    '<!-- Generated from packages/observability/src by `npm run generate`. Change the tables there. -->',
    '# Metrics and logs',
    '',
    '## Metrics',
    '',
    'Every ingestor and every worker serves `GET /metrics` in the Prometheus text format on `ADMIN_PORT`, beside `/healthz`',
    '(restart it when this fails) and `/readyz` (send it no work while this fails). The port is not for the public.',
    '',
    '| metric | type | labels | from | what it tells |',
    '|---|---|---|---|---|',
    ...Object.values(metricTable).map(metricRow),
    '',
    'The number of series is bounded whatever is posted. `provider` and `endpoint` are configured ones or `unknown`;',
    '`event_type` is a type that has a handler or `other`; every other label has the values listed here, or `other`:',
    '',
    ...listedLabels(),
    '',
    '`mailroom_inbox_events`, `mailroom_oldest_due_age_seconds`, `mailroom_silent_event_types`, `mailroom_open_findings` and',
    '`mailroom_swept_age_seconds` describe the whole inbox and every worker reports them: take their `max`, not their `sum`. Node and the process itself report `nodejs_*` and `process_*` (memory, event loop,',
    'file descriptors, processor time).',
    '',
    '## What to alert on',
    '',
    ...alerts.flatMap(({ name, expression, after, meaning, action }) => [
      `### ${name}`,
      '',
      '```promql',
      expression,
      '```',
      '',
      `For ${after}. ${meaning} ${action}`,
      '',
    ]),
    '## Log events',
    '',
    'Every process logs JSON to standard output, one line an event: `level`, `time` (ISO 8601, UTC), `name` (the process),',
    '`pid`, `host`, `event`, then the fields below. Search by `event`: the names are stable. `key` is',
    '`provider/endpoint/event_id`, as the command line takes it. Payloads, signatures, secrets and personal data are never',
    'logged; fields whose names speak of them are redacted, and configured secrets are struck out of every line.',
    '',
    '| event | level | fields | what happened |',
    '|---|---|---|---|',
    ...[...logEvents]
      .toSorted((a, b) => (a.event < b.event ? -1 : 1))
      .map(({ event, levels, fields, meaning }) => {
        return `| \`${event}\` | ${levels.join(', ')} | ${fields.map((field) => `\`${field}\``).join(' ')} | ${meaning} |`;
      }),
    '',
  ].join('\n');
}

function metricRow({ name, type, labels, from, help }: Metric): string {
  const names = Object.keys(labels).map((label) => `\`${label}\``);
  return `| \`${name}\` | ${type} | ${names.join(' ')} | ${from.join(', ')} | ${help} |`;
}

/** Each label with its values; a label that means different things in different metrics gets a line for each. */
function listedLabels(): readonly string[] {
  const metricsByList = new Map<string, string[]>();
  for (const { name, labels } of Object.values<Metric>(metricTable)) {
    for (const [label, bound] of Object.entries(labels)) {
      if (!isList(bound)) continue;
      const line = `- \`${label}\`: ${bound.map((value) => `\`${value}\``).join(', ')}`;
      metricsByList.set(line, [...(metricsByList.get(line) ?? []), `\`${name}\``]);
    }
  }
  return [...metricsByList].map(([line, names]) => `${line} (${names.join(', ')})`);
}

function isList(bound: LabelBound): bound is readonly string[] {
  return typeof bound !== 'string';
}
