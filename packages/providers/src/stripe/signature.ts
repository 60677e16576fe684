import type { HmacSignature } from '../declarative/definition.ts';
import { signHmac } from '../declarative/sign-hmac.ts';
import { verifyHmac } from '../declarative/verify-hmac.ts';
import type { RawRequest, Secret, SignedDelivery, Verification, VerifyOptions } from '../provider.ts';

/**
 * `Stripe-Signature: t=<Unix seconds>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 of `<t>.<body>` under the whole secret as text
 * (docs.stripe.com/webhooks, "Verify webhook signatures manually"). v0 is a scheme of test events that proves nothing.
 */
const stripeSignature: HmacSignature = {
  signature: {
    header: 'stripe-signature',
    separator: ',',
    tag: 'v1=',
    algorithm: 'sha256',
    encoding: 'hex',
    content: '{timestamp}.{body}',
  },
  timestamp: { tag: 't=', unit: 's' },
};

/** Works on bytes: stripe-node decodes the body first, which drops a byte order mark, and refuses some that Stripe signed. */
export function verifyStripe(request: RawRequest, secrets: readonly Secret[], options: VerifyOptions): Verification {
  return verifyHmac(stripeSignature, request, secrets, options);
}

/** What Stripe sends with `body`, signed in the second of `nowMs`. */
export function signStripe(body: Buffer, secret: string, nowMs: number): SignedDelivery | null {
  return signHmac(stripeSignature, body, secret, nowMs);
}
