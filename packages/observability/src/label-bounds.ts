import type { LabelBound, Metric } from './metric.ts';

/** What is known when a process starts, and therefore may be told apart in a label. */
export interface KnownLabels {
  readonly endpoints: readonly { readonly provider: string; readonly endpoint: string }[];
  readonly handlers: readonly { readonly provider: string; readonly eventType: string }[];
}

type Labels = Readonly<Record<string, string>>;

export interface LabelBounds {
  /** The labels with every value that is not known replaced, so that the number of series is bounded. */
  bound(metric: Metric, labels: Labels): Record<string, string>;
  /** Every combination that can be told ahead of time; empty where there are none or a label is told by the process. */
  combinations(metric: Metric): readonly Labels[];
  /** Endpoints that were configured after the start; no series of one that is gone is forgotten. */
  know(endpoints: KnownLabels['endpoints']): void;
}

/** Knows which label values are allowed. `unknown` and `other` are always; nothing is learnt from what is posted. */
export function createLabelBounds(known: KnownLabels): LabelBounds {
  let listed = known.endpoints;
  const providers = new Set([...known.endpoints, ...known.handlers].map(({ provider }) => provider));
  const endpoints = new Set(known.endpoints.map(({ provider, endpoint }) => `${provider}/${endpoint}`));
  const eventTypes = new Set(known.handlers.map(({ provider, eventType }) => `${provider}/${eventType}`));
  return { bound, combinations, know };

  function know(more: KnownLabels['endpoints']): void {
    listed = more;
    for (const { provider, endpoint } of more) {
      providers.add(provider);
      endpoints.add(`${provider}/${endpoint}`);
    }
  }

  function bound(metric: Metric, labels: Labels): Record<string, string> {
    const provider = labels['provider'] ?? '';
    return Object.fromEntries(
      Object.entries(metric.labels).map(([label, limit]) => [label, boundValue(limit, labels[label] ?? '', provider)]),
    );
  }

  function boundValue(limit: LabelBound, value: string, provider: string): string {
    if (typeof limit !== 'string') return limit.includes(value) ? value : 'other';
    switch (limit) {
      case 'provider':
        return providers.has(value) ? value : 'unknown';
      case 'endpoint':
        return endpoints.has(`${provider}/${value}`) ? value : 'unknown';
      case 'event_type':
        return eventTypes.has(`${provider}/${value}`) ? value : 'other';
      case 'process':
        return value.slice(0, 64);
    }
  }

  function combinations(metric: Metric): readonly Labels[] {
    const limits = Object.values(metric.labels);
    if (limits.length === 0 || limits.includes('process')) return [];
    let rows = startOf(limits);
    for (const [label, limit] of Object.entries(metric.labels)) {
      if (typeof limit === 'string') continue;
      rows = rows.flatMap((row) => limit.map((value) => Object.assign({ [label]: value }, row)));
    }
    return rows;
  }

  function startOf(limits: readonly LabelBound[]): readonly Labels[] {
    if (limits.includes('endpoint')) return listed.map(({ provider, endpoint }) => ({ provider, endpoint }));
    if (limits.includes('event_type')) {
      return known.handlers.map(({ provider, eventType }) => ({ provider, event_type: eventType }));
    }
    return [{}];
  }
}
