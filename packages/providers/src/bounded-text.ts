import { createHash } from 'node:crypto';

/**
 * A text fit for a text column, or null where there is none: cut to 255, lone surrogates and U+0000 (which PostgreSQL
 * refuses) replaced. For what is shown and filtered by; it may fold two odd texts into one, so names use other rules.
 */
export function boundedText(value: unknown): string | null {
  if (typeof value !== 'string' || value.length === 0) return null;
  return value.slice(0, maxTextLength).toWellFormed().replaceAll('\0', '\ufffd');
}

/**
 * True where a text can name something as it is: 1 to 255 characters, no control characters, no lone surrogates, no line
 * or paragraph separators. These classes are closed in Unicode, so the answer never changes with a newer Node.
 */
export function isPlainName(text: string): boolean {
  return text.length <= maxTextLength && plainName.test(text);
}

/** The text itself where it can name something, else its hash: names stay distinct, whatever their length. */
export function plainNameOf(text: string): string {
  return isPlainName(text) ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

// The bound that the CHECKs of the inbox put on every outside text, in characters.
const maxTextLength = 255;
const plainName = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
