import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from './provider.ts';

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512';

export interface HmacAttempt {
  readonly algorithm: HmacAlgorithm;
  readonly secrets: readonly Secret[];
  /** How a configured secret becomes the key; null: it is none, and matches nothing. Left out, the text is the key. */
  readonly keyOf?: (value: string) => string | Buffer | null;
  /** What the provider signed, in pieces, so that the body is never copied. */
  readonly content: readonly (string | Buffer)[];
  /** Decoded signatures offered by the request. */
  readonly signatures: readonly Buffer[];
}

/**
 * The label of the first secret under which any offered signature is right, or null. Every secret meets every signature,
 * whatever matched before, and each comparison takes constant time: how long it took says nothing about a secret.
 */
export function matchHmac(attempt: HmacAttempt): string | null {
  let matched: string | null = null;
  for (const secret of attempt.secrets) {
    const key = secret.key ?? (attempt.keyOf === undefined ? secret.value : attempt.keyOf(secret.value));
    if (key === null) continue;
    const expected = hmac(attempt.algorithm, key, attempt.content);
    for (const signature of attempt.signatures) {
      const same = signature.length === expected.length && timingSafeEqual(signature, expected);
      if (same) matched ??= secret.label;
    }
  }
  return matched;
}

/** The HMAC of the pieces of `content`, one after another. */
export function hmac(algorithm: HmacAlgorithm, key: string | Buffer, content: readonly (string | Buffer)[]): Buffer {
  const mac = createHmac(algorithm, key);
  for (const piece of content) mac.update(piece);
  return mac.digest();
}
