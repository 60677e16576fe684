import { createHmac } from 'node:crypto';

/**
 * The `Stripe-Signature` header for exactly these bytes: HMAC-SHA256 over `<t>.<body>`, the key being the whole secret with its
 * prefix (stripe-node, src/Webhooks.ts). Written here once more, from the documentation, so that the traffic can prove the
 * receiver wrong.
 */
export function signStripe(body: Buffer, secret: string, atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${signature}`;
}
