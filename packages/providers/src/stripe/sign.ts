import { hmac } from '../match-hmac.ts';
import type { SignedDelivery } from '../provider.ts';

/** What Stripe sends with `body`, signed in the second of `nowMs`. */
export function signStripe(body: Buffer, secret: string, nowMs: number): SignedDelivery {
  const timestamp = Math.floor(nowMs / 1000);
  const signature = hmac('sha256', secret, [`${timestamp}.`, body]).toString('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${timestamp},v1=${signature}`,
    },
  };
}
