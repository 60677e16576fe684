import type { Sample } from '../provider.ts';

/** A transaction that is paid, and the subscription it renews. Written for Mailroom from Paddle's API reference. */
export const samples: Readonly<Record<string, Sample>> = {
  'transaction.paid': sample('transaction.paid', 'txn', { status: 'paid', currency_code: 'EUR' }),
  'transaction.completed': sample('transaction.completed', 'txn', { status: 'completed', currency_code: 'EUR' }),
  'subscription.updated': sample('subscription.updated', 'sub', { status: 'active', currency_code: 'EUR' }),
};

function sample(type: string, prefix: string, state: Readonly<Record<string, string>>): Sample {
  return {
    eventType: type,
    body: ({ tag, nowMs }) => ({
      event_id: `evt_${tag}_${type.replace('.', '_')}`,
      event_type: type,
      occurred_at: new Date(nowMs).toISOString(),
      notification_id: `ntf_${tag}_${type.replace('.', '_')}`,
      data: { id: `${prefix}_${tag}`, customer_id: `ctm_${tag}`, ...state },
    }),
  };
}
