import type { Sample } from '../provider.ts';

/** What the sender of the example would send; yours sends something else, and no sample of it is known. */
export const samples: Readonly<Record<string, Sample>> = {
  'order.shipped': {
    eventType: 'order.shipped',
    body: ({ tag, nowMs }) => ({
      id: `acme_${tag}`,
      type: 'order.shipped',
      created_at: new Date(nowMs).toISOString(),
      data: { kind: 'order', id: tag },
    }),
  },
};
