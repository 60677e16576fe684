import { asObject, type JsonValue, readJson } from '@mailroom/kernel';
import { base64Bytes } from '../base64.ts';
import { hmac, matchHmac } from '../match-hmac.ts';
import type { RawRequest, Rejection, RejectionReason, Secret, SignedDelivery, Verification } from '../provider.ts';
import { itemsOf, type JsonObject, signedText } from './item.ts';

/**
 * Verifies both ways in which Adyen signs. Webhooks of platforms, management and tokenization have `HmacSignature`, base64
 * of HMAC-SHA256 over the body. Standard notifications carry a signature in each item, over eight of its fields and nothing
 * else; each item must have a right one, or the delivery is refused whole. (docs.adyen.com, "Verify HMAC signatures")
 */
export function verifyAdyen(request: RawRequest, secrets: readonly Secret[]): Verification {
  const lines = request.headers.get('hmacsignature') ?? [];
  const signatures = lines.slice(0, maxLines).flatMap((line) => base64Bytes(line, 32) ?? []);
  if (signatures.length > 0) {
    const secretLabel = matchHmac({ algorithm: 'sha256', secrets, keyOf: hexKey, content: [request.body], signatures });
    if (secretLabel !== null) return { outcome: 'verified', secretLabel };
  }
  const json = readJson(request.body);
  const items = json.outcome === 'json' ? itemsOf(json.value) : null;
  if (items !== null && items.length > 0) return verifyItems(items, secrets);
  if (lines.length === 0)
    return rejected('signature_missing', 'no HmacSignature header and no signed notification item');
  if (signatures.length === 0) return rejected('signature_malformed', 'HmacSignature is not 32 bytes in base64');
  return rejected('signature_mismatch', 'HmacSignature is right under no configured key');
}

function verifyItems(items: readonly (JsonObject | null)[], secrets: readonly Secret[]): Verification {
  const labels = new Set<string>();
  for (const item of items) {
    const offered = asObject(item?.['additionalData'])?.['hmacSignature'];
    if (item === null || offered === undefined) {
      return rejected('signature_missing', 'a notification item has no hmacSignature');
    }
    const signature = typeof offered === 'string' ? base64Bytes(offered, 32) : null;
    if (signature === null) return rejected('signature_malformed', 'an hmacSignature is not 32 bytes in base64');
    const text = signedText(item);
    if (text === null) return rejected('signature_malformed', 'a signed field holds a colon or is no text');
    const label = matchHmac({ algorithm: 'sha256', secrets, keyOf: hexKey, content: [text], signatures: [signature] });
    if (label === null) return rejected('signature_mismatch', 'an hmacSignature is right under no configured key');
    labels.add(label);
  }
  // One, unless a rotation happened between two items of one delivery.
  return { outcome: 'verified', secretLabel: [...labels].slice(0, maxLabels).join('+') };
}

/**
 * The delivery as Adyen sends it: a standard notification gets its signatures into the body, everything else gets the
 * header. Null: a standard notification whose items cannot be signed.
 */
export function signAdyen(body: Buffer, secret: string): SignedDelivery | null {
  const key = hexKey(secret);
  if (key === null) return null;
  const json = readJson(body);
  const message = json.outcome === 'json' ? asObject(json.value) : undefined;
  const items = message === undefined ? null : itemsOf(message);
  if (items === null) {
    return { body, headers: { ...contentType, hmacsignature: hmac('sha256', key, [body]).toString('base64') } };
  }
  const notificationItems = signedItems(items, key);
  if (notificationItems === null) return null;
  return { body: Buffer.from(JSON.stringify({ ...message, notificationItems })), headers: contentType };
}

function signedItems(items: readonly (JsonObject | null)[], key: Buffer): readonly JsonValue[] | null {
  const notificationItems: JsonValue[] = [];
  for (const item of items) {
    const text = item === null ? null : signedText(item);
    if (item === null || text === null) return null;
    const hmacSignature = hmac('sha256', key, [text]).toString('base64');
    const additionalData = { ...asObject(item['additionalData']), hmacSignature };
    notificationItems.push({ NotificationRequestItem: { ...item, additionalData } });
  }
  return notificationItems.length === 0 ? null : notificationItems;
}

/** The key is the bytes that the hex digits stand for, not their text; null where it is no key of 32 bytes. */
function hexKey(secret: string): Buffer | null {
  return /^[0-9A-Fa-f]{64}$/.test(secret) ? Buffer.from(secret, 'hex') : null;
}

/** What is wrong with the form of a configured secret, in words that never repeat it; null when nothing is. */
export function hexKeyProblem(value: string): string | null {
  if (value === '') return 'is empty';
  if (/\s/.test(value)) return 'contains white space (a line break copied along with it?)';
  return hexKey(value) === null ? 'is not 64 hex digits, which is what an HMAC key of Adyen is' : null;
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

const contentType = { 'content-type': 'application/json; charset=utf-8' };
// One, doubled by a proxy, with room to spare.
const maxLines = 8;
// Labels have at most 64 characters, the column 255.
const maxLabels = 3;
