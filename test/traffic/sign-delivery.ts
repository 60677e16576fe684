import { signStripe } from './sign-stripe.ts';
import type { Delivery } from './storm-delivery.ts';
import { bodyOf } from './stripe-events.ts';

const hourMs = 3_600_000;

/** The bytes and headers of a delivery, signed (or mis-signed) at this moment. */
export function signDelivery(
  delivery: Delivery,
  secret: string,
  nowMs: number,
): { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> } {
  const body = bodyOf(delivery.event);
  const withHeader = (value: string) => ({ body, headers: { 'stripe-signature': value } });
  switch (delivery.signing) {
    case 'right':
      return withHeader(signStripe(body, secret, nowMs));
    case 'wrong-secret':
      return withHeader(signStripe(body, `${secret}x`, nowMs));
    case 'no-header':
      return { body, headers: {} };
    case 'malformed':
      return withHeader('t=,v1=');
    case 'stale':
      return withHeader(signStripe(body, secret, nowMs - hourMs));
    case 'future':
      return withHeader(signStripe(body, secret, nowMs + hourMs));
    case 'over-other-bytes': {
      // What a proxy or a body parser does that reads the JSON and prints it again: the same value in other bytes.
      const reserialised = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
      return { body: reserialised, headers: { 'stripe-signature': signStripe(body, secret, nowMs) } };
    }
  }
}
