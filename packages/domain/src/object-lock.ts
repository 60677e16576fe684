import { createHash } from 'node:crypto';
import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { HandledEvent } from './handler.ts';

/**
 * Takes the advisory lock of the event's object for this transaction, or says false at once where another transaction has it.
 * Released by COMMIT or ROLLBACK, never earlier and never later, so it works behind a pooler in transaction mode, where a
 * session-level advisory lock would stay behind on a connection that somebody else gets next.
 */
export async function lockObject(tx: Tx, event: HandledEvent): Promise<boolean> {
  // An event about nothing in particular competes with nobody but itself.
  const key = objectLockKey(event.provider, event.objectKey ?? `${event.endpoint}/${event.eventId}`);
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${key}::bigint) as locked`.execute(
    tx,
  );
  return rows[0]?.locked === true;
}

/**
 * The key of an object's lock: the first 8 bytes of SHA-256 over `provider/object`, as a signed big-endian integer. Two objects
 * of 10 million share a key with a probability of 1 in 370,000, and then only wait for each other.
 */
export function objectLockKey(provider: string, objectKey: string): bigint {
  return createHash('sha256').update(`${provider}/${objectKey}`).digest().readBigInt64BE(0);
}
