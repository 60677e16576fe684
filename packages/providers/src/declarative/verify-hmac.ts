import { base64Bytes } from '../base64.ts';
import { matchHmac } from '../match-hmac.ts';
import type { RawRequest, Rejection, RejectionReason, Secret, Verification, VerifyOptions } from '../provider.ts';
import { timestampProblem } from '../timestamp-tolerance.ts';
import type { HmacSignature, SignatureDefinition } from './definition.ts';
import { digestBytes, keyOf, signedContent } from './signed-content.ts';

/**
 * Verifies a delivery as a definition says, over its bytes. Every line and entry of the signature header meets every secret
 * and every offered timestamp, within bounds: only what the provider made together is right together, so nothing needs
 * matching up, and no line hides another.
 */
export function verifyHmac(
  definition: HmacSignature,
  request: RawRequest,
  secrets: readonly Secret[],
  options: VerifyOptions,
): Verification {
  const { signature, timestamp } = definition;
  const entries = entriesOf(request, signature);
  if (entries === null) return rejected('signature_missing', `no ${signature.header} header`);
  const signatures = signaturesIn(entries, signature);
  if (signatures.length === 0) {
    return rejected('signature_malformed', `no ${signature.algorithm} signature in ${signature.encoding}`);
  }
  const timestamps = timestampsIn(definition, entries, request);
  if (timestamps.length === 0) return rejected('signature_malformed', 'no timestamp of digits only');
  const id = signedId(definition, request);
  if (id === null) return rejected('signature_malformed', `not one ${definition.idHeader} header`);

  let problem: Rejection | null = null;
  for (const text of timestamps) {
    const secretLabel = matchHmac({
      algorithm: signature.algorithm,
      secrets,
      keyOf: (value) => keyOf(definition, value),
      content: signedContent(definition, { body: request.body, timestamp: text, id }),
      signatures,
    });
    if (secretLabel === null) continue;
    if (timestamp === undefined) return { outcome: 'verified', secretLabel };
    // The time is judged after the signature: "right but stale" is a clock or a queue, "wrong" is a secret or a stranger.
    const timing = timestampProblem(Number(text) * (timestamp.unit === 's' ? 1000 : 1), options);
    if (timing === null) return { outcome: 'verified', secretLabel };
    problem ??= timing;
  }
  return problem ?? rejected('signature_mismatch', 'no signature is right under any configured secret');
}

/** The entries of every line of the signature header; null where there is no line. */
function entriesOf({ headers }: RawRequest, signature: SignatureDefinition): readonly string[] | null {
  const lines = headers.get(signature.header);
  if (lines === undefined || lines.length === 0) return null;
  const { separator, tag = '' } = signature;
  return lines.slice(0, maxLines).flatMap((line) => {
    const pieces = separator === undefined ? [line] : line.split(separator, maxEntries);
    // A proxy that joins repeated lines writes ", " between them (RFC 9110, section 5.3).
    const entries = tag.includes(',') ? pieces : pieces.flatMap((piece) => piece.split(',', maxEntries));
    return entries.map((entry) => entry.trim());
  });
}

function signaturesIn(entries: readonly string[], { tag = '', algorithm, encoding }: SignatureDefinition): Buffer[] {
  const length = digestBytes[algorithm];
  return entries
    .filter((entry) => entry.startsWith(tag))
    .map((entry) => decoded(entry.slice(tag.length), encoding, length))
    .filter((bytes) => bytes !== null)
    .slice(0, maxSignatures);
}

/** Strict: one text for one signature, so that a changed signature is never right. */
function decoded(text: string, encoding: 'hex' | 'base64', length: number): Buffer | null {
  if (encoding === 'base64') return base64Bytes(text, length);
  return text.length === length * 2 && /^[0-9a-f]+$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** One empty text where the scheme signs no time. */
function timestampsIn(
  { timestamp }: HmacSignature,
  entries: readonly string[],
  { headers }: RawRequest,
): readonly string[] {
  if (timestamp === undefined) return [''];
  const { tag = '', header } = timestamp;
  const texts =
    header === undefined
      ? entries.filter((entry) => entry.startsWith(tag)).map((entry) => entry.slice(tag.length))
      : (headers.get(header) ?? []);
  return [...new Set(texts.filter((text) => /^\d{1,14}$/.test(text)))].slice(0, maxTimestamps);
}

/** The one id that is signed and that the event is named by: with two of them a stranger could choose the name. */
function signedId({ idHeader }: HmacSignature, { headers }: RawRequest): string | null {
  if (idHeader === undefined) return '';
  const ids = new Set(headers.get(idHeader) ?? []);
  const [id] = ids;
  return ids.size === 1 && id !== undefined ? id : null;
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

// No provider sends more than two lines (Mollie, during a rotation); a proxy may double those.
const maxLines = 8;
const maxEntries = 32;
// One a secret during a rotation, doubled by a proxy, with room to spare; each costs one comparison of some 32 bytes.
const maxSignatures = 16;
// Each timestamp costs one pass over the body a secret, so a stranger may not offer many.
const maxTimestamps = 4;
