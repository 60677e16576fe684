import { describe, expect, test } from 'vitest';
import { alerts } from '../src/alerts.ts';
import type { Metric } from '../src/metric.ts';
import { metricTable } from '../src/metric-table.ts';

const metrics: readonly Metric[] = Object.values<Metric>(metricTable);

describe('the table of metrics', () => {
  test('names are unique, prefixed and end with their unit', () => {
    expect(metrics.length).toBeGreaterThan(15);
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
    for (const { name, type } of metrics) {
      expect(name).toMatch(/^mailroom_[a-z]+(_[a-z]+)*$/);
      expect(name).toMatch(
        /_(total|seconds|rows|events|messages|attempts|requests|slots|connections|callers|types|findings|info)$/,
      );
      // Prometheus' own rule: _total is for counters, and counters have nothing else.
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
    }
  });

  test('only histograms have buckets, and theirs ascend', () => {
    for (const { name, type, buckets } of metrics) {
      expect(buckets !== undefined, name).toBe(type === 'histogram');
      expect([...(buckets ?? [])], name).toEqual((buckets ?? []).toSorted((a, b) => a - b));
    }
  });

  test('every help is one sentence', () => {
    for (const { name, help } of metrics) expect(help, name).toMatch(/^[A-Z][^|]*\.$/);
  });

  test('every metric that an alert or its action speaks of exists', () => {
    const known = new Set(metrics.flatMap(({ name }) => [name, `${name}_bucket`]));
    const named = alerts.flatMap(({ expression, action }) => `${expression} ${action}`.match(/mailroom_\w+/g) ?? []);
    expect(named.length).toBeGreaterThanOrEqual(alerts.length);
    for (const name of named) expect(known, name).toContain(name);
  });
});
