import { base64Bytes } from '../base64.ts';
import { hmac, matchHmac } from '../match-hmac.ts';
import type { RawRequest, Rejection, RejectionReason, Secret, SignedDelivery, Verification } from '../provider.ts';

/**
 * Verifies `X-Shopify-Hmac-Sha256`, or `shopify-hmac-sha256` of the "Events" family: base64 of HMAC-SHA256 over the body
 * under the client secret (shopify.dev, "Verify webhook deliveries"). Both families sign the same bytes with the same
 * secret, so either proves them. No time is signed.
 */
export function verifyShopify(request: RawRequest, secrets: readonly Secret[]): Verification {
  const lines = signatureHeaders.flatMap((name) => request.headers.get(name) ?? []).slice(0, maxLines);
  if (lines.length === 0) return rejected('signature_missing', 'no X-Shopify-Hmac-Sha256 header');
  // Shopify sends no empty body, and its own libraries refuse one whatever its signature says.
  if (request.body.length === 0) return rejected('signature_malformed', 'the body is empty');
  const signatures = lines.map((line) => base64Bytes(line, 32)).filter((bytes) => bytes !== null);
  if (signatures.length === 0) return rejected('signature_malformed', 'no signature of 32 bytes in base64');

  const secretLabel = matchHmac({ algorithm: 'sha256', secrets, content: [request.body], signatures });
  if (secretLabel !== null) return { outcome: 'verified', secretLabel };
  return rejected('signature_mismatch', 'the signature is right under no configured secret');
}

/** What Shopify signs of a delivery; topic, shop and ids are headers of their own that nobody signs. */
export function signShopify(body: Buffer, secret: string): SignedDelivery | null {
  if (body.length === 0) return null;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-shopify-hmac-sha256': hmac('sha256', secret, [body]).toString('base64'),
    },
  };
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

const signatureHeaders = ['shopify-hmac-sha256', 'x-shopify-hmac-sha256'];
// One a family, doubled by a proxy, with room to spare.
const maxLines = 8;
