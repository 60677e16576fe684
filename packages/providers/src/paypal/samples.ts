import type { Sample } from '../provider.ts';

/** A payment that is captured and given back. Written for Mailroom from PayPal's documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  'PAYMENT.CAPTURE.COMPLETED': capture('PAYMENT.CAPTURE.COMPLETED', 'COMPLETED'),
  'PAYMENT.CAPTURE.REFUNDED': capture('PAYMENT.CAPTURE.REFUNDED', 'REFUNDED'),
};

function capture(eventType: string, status: string): Sample {
  return {
    eventType,
    body: ({ tag, nowMs }) => {
      const id = `WH-${tag}-${status}`;
      return {
        id,
        event_version: '1.0',
        resource_version: '2.0',
        create_time: new Date(nowMs).toISOString(),
        resource_type: 'capture',
        event_type: eventType,
        summary: 'A payment of $ 20.0 USD',
        resource: { id: `CAP${tag}`, status, amount: { currency_code: 'USD', value: '20.00' } },
        links: [
          { href: `https://api.sandbox.paypal.com/v1/notifications/webhooks-events/${id}`, rel: 'self', method: 'GET' },
        ],
      };
    },
  };
}
