import type { Sample } from '../provider.ts';

/** A payment and its refund. Written for Mailroom from Square's API reference. */
export const samples: Readonly<Record<string, Sample>> = {
  'payment.updated': sample('payment.updated', 'payment', { status: 'COMPLETED' }),
  'refund.created': sample('refund.created', 'refund', { status: 'PENDING', reason: 'requested by the customer' }),
};

function sample(type: string, object: string, state: Readonly<Record<string, string>>): Sample {
  return {
    eventType: type,
    body: ({ tag, nowMs }) => ({
      merchant_id: 'ML0000000SAMPLE',
      type,
      event_id: `${tag}-${type}`,
      created_at: new Date(nowMs).toISOString(),
      data: {
        type: object,
        id: `${object}-${tag}`,
        object: {
          [object]: { id: `${object}-${tag}`, amount_money: { amount: 1250, currency: 'USD' }, ...state },
        },
      },
    }),
  };
}
