import { describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../src/metrics.ts';

const known = {
  endpoints: [
    { provider: 'stripe', endpoint: 'billing' },
    { provider: 'stripe', endpoint: 'connect' },
  ],
  handlers: [{ provider: 'stripe', eventType: 'invoice.paid' }],
};

describe('metrics', () => {
  test('a scrape shows what was counted, with its labels', async () => {
    const metrics = createMetrics(known);
    metrics.received.add({ provider: 'stripe', endpoint: 'billing' }, 3);
    metrics.received.add({ provider: 'stripe', endpoint: 'billing' });
    metrics.ackDuration.observe({ provider: 'stripe', endpoint: 'billing', outcome: 'stored' }, 0.004);
    metrics.backlog.set({ state: 'pending' }, 7);
    const { contentType, body } = await metrics.render();
    expect(contentType).toContain('text/plain; version=0.0.4');
    expect(body).toContain('mailroom_events_received_total{provider="stripe",endpoint="billing"} 4');
    expect(body).toContain(
      'mailroom_ack_duration_seconds_bucket{le="0.005",provider="stripe",endpoint="billing",outcome="stored"} 1',
    );
    expect(body).toContain('mailroom_inbox_events{state="pending"} 7');
    expect(body).toContain('process_resident_memory_bytes');
  });

  test('the number of series is the same whatever is posted', async () => {
    const metrics = createMetrics(known);
    const hostile = (index: number): void => {
      const odd = `${index}"\n\\{}`;
      metrics.deliveries.add({ provider: odd, endpoint: odd, outcome: 'unknown_endpoint' });
      metrics.deliveries.add({ provider: 'stripe', endpoint: odd, outcome: 'unknown_endpoint' });
      metrics.received.add({ provider: odd, endpoint: 'billing' });
      // @ts-expect-error The type knows the outcomes; a value that slips past it is bounded all the same.
      metrics.ackDuration.observe({ provider: odd, endpoint: odd, outcome: odd }, 0.1);
      metrics.attempts.add({ provider: 'stripe', event_type: odd, outcome: 'processed' });
      metrics.handlerDuration.observe({ provider: odd, event_type: 'invoice.paid' }, 0.1);
    };
    hostile(0);
    const before = await seriesOf(metrics);
    for (let index = 1; index < 5000; index++) hostile(index);
    const after = await seriesOf(metrics);
    expect(before.length).toBeGreaterThan(100);
    expect(after).toEqual(before);
    expect(after).toContain(
      'mailroom_deliveries_total{provider="unknown",endpoint="unknown",outcome="unknown_endpoint"}',
    );
    expect(after).toContain(
      'mailroom_deliveries_total{provider="stripe",endpoint="unknown",outcome="unknown_endpoint"}',
    );
    expect(after).toContain('mailroom_attempts_total{provider="stripe",event_type="other",outcome="processed"}');
  });

  test('an endpoint of one provider is unknown under another', async () => {
    const endpoints = [...known.endpoints, { provider: 'shopify', endpoint: 'shop' }];
    const metrics = createMetrics({ ...known, endpoints });
    metrics.received.add({ provider: 'stripe', endpoint: 'shop' });
    const { body } = await metrics.render();
    expect(body).toContain('mailroom_events_received_total{provider="stripe",endpoint="unknown"} 1');
  });

  test('counters of configured endpoints and handlers begin at 0, so that the first increase is seen', async () => {
    const { body } = await createMetrics(known).render();
    expect(body).toContain('mailroom_events_received_total{provider="stripe",endpoint="connect"} 0');
    expect(body).toContain('mailroom_events_exhausted_total{provider="stripe",event_type="invoice.paid"} 0');
    expect(body).toMatch(/mailroom_deliveries_rejected_total\{.*reason="timestamp_stale".*\} 0/);
    expect(body).toContain('mailroom_events_claimed_total 0');
  });

  test('no value makes a handle throw or a counter fall', async () => {
    const metrics = createMetrics(known);
    const labels = { provider: 'stripe', endpoint: 'billing' };
    for (const odd of [Number.NaN, -1, Number.POSITIVE_INFINITY, 0]) {
      metrics.received.add(labels, odd);
      metrics.oldestAge.set({}, odd);
      metrics.writeDuration.observe({}, odd);
    }
    const { body } = await metrics.render();
    expect(body).toContain('mailroom_events_received_total{provider="stripe",endpoint="billing"} 0');
    expect(body).toContain('mailroom_oldest_due_age_seconds 0');
  });

  test('two registries share nothing', async () => {
    const first = createMetrics(known);
    createMetrics(known).claimed.add({}, 5);
    expect((await first.render()).body).toContain('mailroom_events_claimed_total 0');
  });
});

describe('collecting gauges for a scrape', () => {
  test('collectors run before each scrape', async () => {
    const metrics = createMetrics();
    let runs = 0;
    metrics.beforeRender(async () => {
      runs += 1;
      metrics.slotsBusy.set({}, runs);
    });
    await metrics.render();
    expect((await metrics.render()).body).toContain('mailroom_busy_slots 2');
  });

  test('a collector that fails or never ends is counted and costs no other metric', async () => {
    const metrics = createMetrics();
    metrics.beforeRender(() => {
      throw new Error('at once');
    });
    metrics.beforeRender(() => Promise.reject(new Error('later')));
    metrics.beforeRender(() => new Promise(() => undefined));
    metrics.beforeRender(() => metrics.slotsBusy.set({}, 4));
    const { body } = await metrics.render();
    expect(body).toContain('mailroom_busy_slots 4');
    expect(body).toContain('mailroom_collect_failures_total 3');
  });
});

/** Series without their values; the runtime's own come and go by themselves. */
async function seriesOf(metrics: Metrics): Promise<readonly string[]> {
  const { body } = await metrics.render();
  const lines = body.split('\n').filter((line) => line.startsWith('mailroom_'));
  return lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
}
