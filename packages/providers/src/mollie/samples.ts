import type { Sample } from '../provider.ts';

/** A payment link that is paid. Written for Mailroom from the documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  'payment-link.paid': {
    eventType: 'payment-link.paid',
    body: ({ tag, nowMs }) => ({
      resource: 'event',
      id: `event_${tag}`,
      type: 'payment-link.paid',
      entityId: `pl_${tag}`,
      createdAt: new Date(nowMs).toISOString(),
    }),
  },
};
