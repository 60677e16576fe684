import type { JsonValue } from '@mailroom/kernel';
import type { GivenEvent } from './apply-event.ts';

/** A webhook about an order of `one.myshopify.com`: `orderEvent('paid', { updated_at: '...' })`. */
export function orderEvent(
  what: string,
  order: Readonly<Record<string, JsonValue>> = {},
  { id = `wh_${what}`, shop = 'one.myshopify.com' }: { id?: string; shop?: string | null } = {},
): GivenEvent {
  const payload = {
    id: 450_789_469,
    name: '#1001',
    currency: 'USD',
    total_price: '409.94',
    financial_status: what === 'paid' ? 'paid' : 'pending',
    cancelled_at: what === 'cancelled' ? '2026-01-10T12:00:00-05:00' : null,
    updated_at: '2026-01-10T11:00:00-05:00',
    ...order,
  };
  return {
    event: {
      provider: 'shopify',
      endpoint: 'shop',
      eventId: id,
      eventType: `orders/${what}`,
      objectKey: `${shop}/orders/${String(payload.id)}`,
      providerTime: null,
      apiVersion: '2026-10',
      account: shop,
      livemode: null,
      receivedAt: new Date('2026-01-10T16:00:00Z'),
    },
    payload,
  };
}
