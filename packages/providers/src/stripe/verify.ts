import { type HeaderField, headerFields } from '../header-lines.ts';
import { matchHmac } from '../match-hmac.ts';
import type { RawRequest, Rejection, RejectionReason, Secret, Verification, VerifyOptions } from '../provider.ts';
import { timestampProblem } from '../timestamp-tolerance.ts';

/**
 * Verifies `Stripe-Signature: t=<Unix seconds>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 of `<t>.<body>` under the whole secret as
 * text (docs.stripe.com/webhooks, "Verify webhook signatures manually"). Works on bytes: stripe-node decodes the body
 * first, which drops a byte order mark, and so refuses some bodies that Stripe signed.
 */
export function verifyStripe(request: RawRequest, secrets: readonly Secret[], options: VerifyOptions): Verification {
  const fields = headerFields(request.headers, 'stripe-signature', { between: ',', within: '=' });
  if (fields === null) return rejected('signature_missing', 'no Stripe-Signature header');

  const timestamps = timestampsIn(fields);
  if (timestamps.length === 0) return rejected('signature_malformed', 'no timestamp (t=) of digits only');
  const signatures = signaturesIn(fields);
  if (signatures.length === 0) return rejected('signature_malformed', 'no v1 signature of 64 lower-case hex digits');

  // Any timestamp may go with any signature: only a pair that Stripe made is right, so their lines need no matching up.
  let problem: Rejection | null = null;
  for (const timestamp of timestamps) {
    const content = [`${timestamp}.`, request.body];
    const secretLabel = matchHmac({ algorithm: 'sha256', secrets, content, signatures });
    if (secretLabel === null) continue;
    // The time is judged after the signature: "right but stale" is a clock or a queue, "wrong" is a secret or a stranger.
    const timing = timestampProblem(Number(timestamp) * 1000, options);
    if (timing === null) return { outcome: 'verified', secretLabel };
    problem ??= timing;
  }
  return problem ?? rejected('signature_mismatch', 'no v1 signature is right under any configured secret');
}

function timestampsIn(fields: readonly HeaderField[]): string[] {
  const texts = fields.filter(({ name, value }) => name === 't' && /^\d{1,12}$/.test(value)).map(({ value }) => value);
  return [...new Set(texts)].slice(0, maxTimestamps);
}

// v0 is a scheme of Stripe's test events that proves nothing; accepting it, or any other name, would be a downgrade.
function signaturesIn(fields: readonly HeaderField[]): Buffer[] {
  const texts = fields.filter(({ name, value }) => name === 'v1' && /^[0-9a-f]{64}$/.test(value));
  return texts.slice(0, maxSignatures).map(({ value }) => Buffer.from(value, 'hex'));
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

// Each timestamp costs one pass over the body a secret, so a stranger may not offer many; a doubling proxy makes two.
const maxTimestamps = 4;
// One a secret during a rotation, doubled by a proxy, with room to spare; each costs one comparison of 32 bytes.
const maxSignatures = 16;
