import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';

/** A payment that goes through in a batch with its mandate, and one that fails. Written for Mailroom from the documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  'payments.confirmed': {
    eventType: 'payments.confirmed',
    body: (values) => ({
      events: [
        event(values, 'mandates', 'active', 'mandate', 'MD'),
        event(values, 'payments', 'confirmed', 'payment', 'PM'),
      ],
      meta: { webhook_id: `WB${values.tag}` },
    }),
  },
  'payments.failed': {
    eventType: 'payments.failed',
    body: (values) => ({
      events: [event(values, 'payments', 'failed', 'payment', 'PM')],
      meta: { webhook_id: `WB${values.tag}F` },
    }),
  },
};

function event(values: SampleValues, resource: string, action: string, link: string, prefix: string): JsonValue {
  return {
    id: `EV${values.tag}${resource}${action}`,
    created_at: new Date(values.nowMs).toISOString(),
    resource_type: resource,
    action,
    links: { [link]: `${prefix}${values.tag}` },
    details: { origin: 'gocardless', cause: `${link}_${action}`, description: 'A sample.' },
    metadata: {},
  };
}
