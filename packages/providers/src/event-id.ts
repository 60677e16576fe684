import { createHash } from 'node:crypto';
import { isPlainName } from './bounded-text.ts';

/**
 * The event's name in the ledger: the provider's own id, else the hash of the signed bytes, which a retry repeats and a
 * new fact cannot. An id that looks like such a hash is hashed too, so that neither kind can stand for the other.
 */
export function eventIdOf(id: unknown, signedBytes: Buffer): string {
  if (typeof id === 'string' && isPlainName(id) && !id.startsWith(hashPrefix)) return id;
  return hashOf(signedBytes);
}

/** The name of a delivery that has no readable id: equal bytes, equal name. */
export function hashOf(signedBytes: Buffer): string {
  return hashPrefix + createHash('sha256').update(signedBytes).digest('hex');
}

const hashPrefix = 'sha256:';
