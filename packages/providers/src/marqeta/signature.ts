import { createHash, timingSafeEqual } from 'node:crypto';
import { type HmacAlgorithm, hmac, matchHmac } from '../match-hmac.ts';
import type { RawRequest, Rejection, RejectionReason, Secret, SignedDelivery, Verification } from '../provider.ts';
import { basicHeader, type Credentials, parseCredentials } from './credentials.ts';

/**
 * Verifies the Basic credentials, which Marqeta always sends, and `X-Marqeta-Signature`, the hex HMAC of the body under
 * SHA-1 or SHA-256, where the matching secret has a signature key. A retry keeps the signature it was first sent with, for
 * two weeks, so old and new keys go with old and new credentials in any pairing; where two are at work both labels are told,
 * joined by `+`. A secret without a key accepts its credentials alone: keep it beside the new one for as long as unsigned
 * retries may come. (marqeta.com/docs: "About webhooks", "Signature verification")
 */
export function verifyMarqeta(request: RawRequest, secrets: readonly Secret[]): Verification {
  const authorization = request.headers.get('authorization') ?? [];
  if (authorization.length === 0) return rejected('signature_missing', 'no Authorization header');
  const configured = secrets.flatMap(({ label, value }) => {
    const credentials = parseCredentials(value);
    return credentials === null ? [] : [{ label, ...credentials }];
  });
  const known = configured.filter((credentials) => anyLineMatches(authorization, credentials));
  const [first] = known;
  if (first === undefined) {
    return rejected('signature_mismatch', 'the Basic credentials are those of no configured secret');
  }

  const lines = request.headers.get('x-marqeta-signature') ?? [];
  const signer = matchSignature(request.body, configured, lines.slice(0, maxLines));
  if (signer !== null) {
    const own = known.find(({ label }) => label === signer);
    return { outcome: 'verified', secretLabel: own ? signer : `${first.label}+${signer}` };
  }
  const unsigned = known.find(({ signatureKey }) => signatureKey === null);
  if (unsigned) return { outcome: 'verified', secretLabel: unsigned.label };
  if (lines.length === 0) return rejected('signature_missing', 'right credentials, but no X-Marqeta-Signature header');
  return rejected('signature_mismatch', 'right credentials, but the signature is right under no configured key');
}

/** What Marqeta sends with `body`: the credentials, and a SHA-256 signature where the secret has a key. */
export function signMarqeta(body: Buffer, secret: string): SignedDelivery | null {
  const credentials = parseCredentials(secret);
  if (credentials === null) return null;
  const { signatureKey } = credentials;
  const proof =
    signatureKey === null ? {} : { 'x-marqeta-signature': hmac('sha256', signatureKey, [body]).toString('hex') };
  return {
    body,
    headers: { 'content-type': 'application/json', authorization: basicHeader(credentials), ...proof },
  };
}

/** Compares digests, for they have one length whatever the texts have. */
function anyLineMatches(lines: readonly string[], credentials: Credentials): boolean {
  const expected = digest(basicHeader(credentials));
  let matches = false;
  for (const line of lines.slice(0, maxLines)) {
    // The name of the scheme knows no case (RFC 7235, section 2.1).
    const normal = line.replace(/^basic +/i, 'Basic ');
    if (timingSafeEqual(digest(normal), expected)) matches = true;
  }
  return matches;
}

function matchSignature(
  body: Buffer,
  configured: readonly (Credentials & { readonly label: string })[],
  lines: readonly string[],
): string | null {
  const secrets = configured.flatMap(({ label, signatureKey }) =>
    signatureKey === null ? [] : [{ label, value: signatureKey }],
  );
  const matchUnder = (algorithm: HmacAlgorithm, digits: number) => {
    const signatures = lines
      .filter((line) => line.length === digits && /^[0-9a-f]+$/.test(line))
      .map((line) => Buffer.from(line, 'hex'));
    return signatures.length === 0 ? null : matchHmac({ algorithm, secrets, content: [body], signatures });
  };
  return matchUnder('sha256', 64) ?? matchUnder('sha1', 40);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

// One, doubled by a proxy, with room to spare.
const maxLines = 8;
