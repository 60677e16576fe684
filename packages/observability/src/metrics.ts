import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createCollectors } from './collectors.ts';
import { createLabelBounds, type KnownLabels, type LabelBounds } from './label-bounds.ts';
import type { Metric } from './metric.ts';
import { type MetricKey, metricTable } from './metric-table.ts';

/** The labels of a metric: a listed label takes only its listed values. */
export type LabelsOf<M extends Metric> = {
  readonly [L in keyof M['labels']]: M['labels'][L] extends readonly (infer V)[] ? V : string;
};

/** Only grows. `by` is 1 unless given; what is not a positive number changes nothing. */
export interface CounterHandle<L> {
  add(labels: L, by?: number): void;
}

/** Goes up and down. */
export interface GaugeHandle<L> {
  set(labels: L, value: number): void;
}

/** Counts observations by size. The unit is in the metric's name. */
export interface HistogramHandle<L> {
  observe(labels: L, value: number): void;
}

type HandleOf<M extends Metric> = M['type'] extends 'counter'
  ? CounterHandle<LabelsOf<M>>
  : M['type'] extends 'gauge'
    ? GaugeHandle<LabelsOf<M>>
    : HistogramHandle<LabelsOf<M>>;

/** One typed handle for each row of the table, named by its key. No handle ever throws. */
export type MetricHandles = { readonly [K in MetricKey]: HandleOf<(typeof metricTable)[K]> };

export interface Metrics extends MetricHandles {
  /**
   * Runs before every scrape, to set gauges. A collector that fails, or takes more than two seconds, costs the scrape its
   * gauges and nothing else; it is counted in `mailroom_collect_failures_total`.
   */
  beforeRender(collect: () => void | Promise<void>): void;
  /** Tells further endpoints apart: those of a configuration that was read again. */
  knowEndpoints(endpoints: KnownLabels['endpoints']): void;
  /** The whole registry in the Prometheus text format, with Node's and the process's own metrics. */
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/**
 * A registry of its own with every metric of the table. Label values that are not in `known` become `unknown` or `other`,
 * whatever is posted; counters of known combinations begin at 0, so that the first increase shows in a rate.
 */
export function createMetrics(known: Partial<KnownLabels> = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const bounds = createLabelBounds({ endpoints: known.endpoints ?? [], handlers: known.handlers ?? [] });
  // Each handle is built by the type of its row, which is what HandleOf says.
  const handles = Object.fromEntries(
    Object.entries(metricTable).map(([key, metric]) => [key, createHandle(registry, metric, bounds)]),
  ) as unknown as MetricHandles;
  const collectors = createCollectors(() => handles.collectFailures.add({}));

  return {
    ...handles,
    beforeRender: collectors.add,
    knowEndpoints: (endpoints) => {
      bounds.know(endpoints);
      for (const metric of Object.values<Metric>(metricTable)) {
        if (metric.type !== 'counter' || !Object.values(metric.labels).includes('endpoint')) continue;
        const counter = registry.getSingleMetric(metric.name);
        if (counter instanceof Counter) beginAtZero(counter, bounds.combinations(metric));
      }
    },
    render: async () => {
      await collectors.run();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

type Values = Readonly<Record<string, string>>;

function createHandle(registry: Registry, metric: Metric, bounds: LabelBounds) {
  const base = { name: metric.name, help: metric.help, labelNames: Object.keys(metric.labels), registers: [registry] };
  switch (metric.type) {
    case 'counter': {
      const counter = new Counter(base);
      beginAtZero(counter, bounds.combinations(metric));
      return {
        add: (labels: Values, by = 1): void => {
          if (by > 0 && Number.isFinite(by)) counter.inc(bounds.bound(metric, labels), by);
        },
      };
    }
    case 'gauge': {
      const gauge = new Gauge(base);
      return {
        set: (labels: Values, value: number): void => {
          if (Number.isFinite(value)) gauge.set(bounds.bound(metric, labels), value);
        },
      };
    }
    case 'histogram': {
      const histogram = new Histogram({ ...base, buckets: [...(metric.buckets ?? [])] });
      return {
        observe: (labels: Values, value: number): void => {
          if (Number.isFinite(value)) histogram.observe(bounds.bound(metric, labels), value);
        },
      };
    }
  }
}

/** So that the first increase shows in a rate. */
function beginAtZero(counter: Counter, combinations: readonly Values[]): void {
  for (const labels of combinations) counter.inc(labels, 0);
}
