import { sign, verify } from 'node:crypto';
import { base64Bytes } from '../base64.ts';
import { hmac, matchHmac } from '../match-hmac.ts';
import type {
  RawRequest,
  Rejection,
  RejectionReason,
  Secret,
  SignedDelivery,
  Verification,
  VerifyOptions,
} from '../provider.ts';
import { timestampProblem } from '../timestamp-tolerance.ts';
import { hmacKey, privateKey, publicKey } from './keys.ts';
import { familyOf, onlyLine, signedPrefix } from './message.ts';

/**
 * Verifies `webhook-signature: v1,<base64> v1a,<base64>` over `id.timestamp.body`: v1 is HMAC-SHA256, v1a ed25519
 * (standard-webhooks/spec, "Signature scheme"); `svix-*` headers are the same. Stricter than the JavaScript library, which
 * signs `parseInt(timestamp)` and so takes "1614265330abc", and knows no v1a.
 */
export function verifyStandardWebhook(
  request: RawRequest,
  secrets: readonly Secret[],
  options: VerifyOptions,
): Verification {
  const family = familyOf(request);
  const lines = request.headers.get(`${family}-signature`) ?? [];
  if (lines.length === 0) return rejected('signature_missing', 'no webhook-signature or svix-signature header');
  const id = onlyLine(request, `${family}-id`);
  const timestamp = onlyLine(request, `${family}-timestamp`);
  if (id === null) return rejected('signature_malformed', `no ${family}-id header, or several that differ`);
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp)) {
    return rejected('signature_malformed', `no ${family}-timestamp header of digits only`);
  }
  const offered = lines.slice(0, maxLines).flatMap((line) => line.split(' ', maxSignaturesPerLine));
  const signatures = signaturesOf(offered, 'v1,', 32);
  const asymmetric = signaturesOf(offered, 'v1a,', 64);
  if (signatures.length + asymmetric.length === 0) {
    return rejected('signature_malformed', 'no v1 signature of 32 bytes and no v1a signature of 64 bytes in base64');
  }

  const prefix = signedPrefix({ id, timestamp });
  const content = [prefix, request.body];
  const symmetric = matchHmac({ algorithm: 'sha256', secrets, keyOf: hmacKey, content, signatures });
  const secretLabel = symmetric ?? matchPublicKey(secrets, asymmetric, content);
  if (secretLabel === null) return rejected('signature_mismatch', 'no signature is right under any configured secret');
  return timestampProblem(Number(timestamp) * 1000, options) ?? { outcome: 'verified', secretLabel };
}

/** What a sender sends with `body`: under `whsec_` or plain base64 a v1 signature, under a `whsk_` signing key a v1a one. */
export function signStandardWebhook(body: Buffer, secret: string, nowMs: number, id: string): SignedDelivery {
  const timestamp = String(Math.floor(nowMs / 1000));
  const content = [signedPrefix({ id, timestamp }), body];
  const signingKey = privateKey(secret);
  const signature = signingKey
    ? `v1a,${sign(null, Buffer.concat(content), signingKey).toString('base64')}`
    : `v1,${hmac('sha256', hmacKey(secret) ?? '', content).toString('base64')}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    },
  };
}

function signaturesOf(offered: readonly string[], version: string, length: number): Buffer[] {
  return offered
    .filter((text) => text.startsWith(version))
    .map((text) => base64Bytes(text.slice(version.length), length))
    .filter((bytes) => bytes !== null);
}

/** A public key keeps no secret, so the first match may end it; each costs one verification and one copy of the body. */
function matchPublicKey(secrets: readonly Secret[], signatures: readonly Buffer[], content: Buffer[]): string | null {
  if (signatures.length === 0) return null;
  const signed = Buffer.concat(content);
  for (const { label, value } of secrets) {
    const key = publicKey(value);
    if (key && signatures.slice(0, maxAsymmetric).some((signature) => verify(null, signed, key, signature)))
      return label;
  }
  return null;
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

const maxLines = 8;
// One a secret during a rotation, in both schemes; each costs one comparison of 32 bytes.
const maxSignaturesPerLine = 16;
// An ed25519 verification costs what hashing some 100 KB costs, so a stranger may not ask for many.
const maxAsymmetric = 4;
