import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { base64Bytes } from '../base64.ts';

/**
 * The symmetric key under a configured secret: `whsec_` and base64, or the base64 alone (the official libraries take both).
 * Null where it is none: an empty or garbled secret must match nothing rather than an empty key, which anybody has.
 */
export function hmacKey(secret: string): Buffer | null {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  // The specification asks for 24 to 64 bytes.
  return bytes.length >= 24 && bytes.length <= 64 ? base64Bytes(text, bytes.length) : null;
}

/** The ed25519 public key under `whpk_` and base64, or null. */
export function publicKey(secret: string): KeyObject | null {
  const bytes = secret.startsWith('whpk_') ? base64Bytes(secret.slice('whpk_'.length), 32) : null;
  if (bytes === null) return null;
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') } });
  } catch {
    return null;
  }
}

/** The ed25519 private key under `whsk_` and base64 of seed and public key; for senders and tests, never configured. */
export function privateKey(secret: string): KeyObject | null {
  const bytes = secret.startsWith('whsk_') ? base64Bytes(secret.slice('whsk_'.length), 64) : null;
  if (bytes === null) return null;
  const [d, x] = [bytes.subarray(0, 32).toString('base64url'), bytes.subarray(32).toString('base64url')];
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
}

/** What is wrong with the form of a configured secret; null when nothing is. */
export function secretProblem(value: string): string | null {
  if (value.length === 0) return 'is empty';
  if (/\s/.test(value)) return 'contains white space (a line break copied along with it?)';
  if (value.startsWith('whsk_')) return 'is a signing key; what is configured here is its public key, whpk_';
  if (value.startsWith('whpk_')) return publicKey(value) ? null : 'is not whpk_ and 32 bytes in base64';
  return hmacKey(value) ? null : 'is not whsec_ and 24 to 64 bytes in base64';
}
