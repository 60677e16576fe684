import { gunzipSync } from 'node:zlib';

/** A JSON value read without loss: an integer beyond 2^53 is a `bigint`, everything else as `JSON.parse` gives it. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonReading =
  | { readonly outcome: 'json'; readonly value: JsonValue }
  | { readonly outcome: 'not_json'; readonly reason: string };

/**
 * Reads bytes as UTF-8 JSON, strictly: invalid UTF-8 is refused rather than replaced, a leading byte order mark is
 * skipped (RFC 8259, section 8.1 allows it), integers beyond 2^53 stay exact. Bytes that were signed compressed (gzip) are
 * inflated first, to 32 MiB at most. Never throws.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  let text: string;
  try {
    text = strictUtf8.decode(isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: 33_554_432 }) : bytes);
  } catch {
    const reason = isGzip(bytes) ? 'the body is compressed, and not UTF-8 once inflated' : 'the body is not UTF-8';
    return { outcome: 'not_json', reason };
  }
  try {
    // The reviver makes parsing several times dearer, so it runs only where a number could be too long for a double.
    const value: unknown = mayHoldLongInteger(text) ? JSON.parse(text, keepLongIntegers as Reviver) : JSON.parse(text);
    return { outcome: 'json', value: value as JsonValue };
  } catch {
    return { outcome: 'not_json', reason: text.length === 0 ? 'the body is empty' : 'the body is not JSON' };
  }
}

/** No UTF-8 text begins with these bytes. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The object under a value, or undefined when it is something else. */
export function asObject(value: JsonValue | undefined): { readonly [key: string]: JsonValue } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as { readonly [key: string]: JsonValue };
}

/** The third argument, with the source text, is newer than the type library. */
type Reviver = (key: string, value: unknown) => unknown;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Whether 16 digits stand in a row anywhere: of any 16 characters in a row one is at a multiple of 16. */
function mayHoldLongInteger(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (isDigit(text, at) && /\d{16}/.test(text.slice(at - 15, at + 16))) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function keepLongIntegers(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context.source !== undefined && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
