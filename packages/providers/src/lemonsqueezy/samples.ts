import type { Sample } from '../provider.ts';

/** An order and the subscription that comes of it. Written for Mailroom from the documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  order_created: sample('order_created', 'orders', { status: 'paid', currency: 'USD', total: 5899 }),
  subscription_created: sample('subscription_created', 'subscriptions', { status: 'active', cancelled: false }),
  subscription_updated: sample('subscription_updated', 'subscriptions', { status: 'cancelled', cancelled: true }),
};

function sample(name: string, type: string, state: Readonly<Record<string, string | number | boolean>>): Sample {
  return {
    eventType: name,
    body: ({ tag, nowMs }) => ({
      meta: { event_name: name, test_mode: true, custom_data: { reference: tag } },
      data: {
        type,
        id: tag,
        attributes: { store_id: 1, customer_id: 1, ...state, updated_at: new Date(nowMs).toISOString() },
      },
    }),
    headers: () => ({ 'x-event-name': name }),
  };
}
