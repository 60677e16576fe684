import type { Database } from '@mailroom/db';
import { type Logger, messageOf } from '@mailroom/kernel';
import type { OutgoingMessage } from './sink.ts';
import { renewClaims } from './sql/lease.ts';

/** What a relay has claimed and not finished with. */
export interface HeldClaims {
  take(messages: readonly OutgoingMessage[], claimedAtMs: number): void;
  release(messages: readonly OutgoingMessage[]): void;
  count(): number;
  /** Whether it is held and its lease not known to be over. */
  isOurs(message: OutgoingMessage): boolean;
  /** Aborts when the lease is over. */
  signalOf(message: OutgoingMessage): AbortSignal;
  /** No more renewals; resolves when the one under way is over. */
  stop(): Promise<void>;
}

/**
 * Renews the leases of what is held every third of their length. Where that fails until a lease is over, the message is let go and its
 * sending aborted: by then somebody else may have claimed it.
 */
export function createHeldClaims(
  database: Database,
  { leaseMs, log }: { readonly leaseMs: number; readonly log: Logger },
): HeldClaims {
  const claims = new Map<string, { message: OutgoingMessage; endsAt: number; lost: AbortController }>();
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renewAll);
  }, leaseMs / 3);

  return {
    take: (messages, claimedAtMs) => {
      for (const message of messages) {
        claims.set(message.id, { message, endsAt: claimedAtMs + leaseMs, lost: new AbortController() });
      }
    },
    release: (messages) => {
      for (const message of messages) if (claimOf(message)) claims.delete(message.id);
    },
    count: () => claims.size,
    isOurs: (message) => (claimOf(message)?.endsAt ?? 0) > performance.now(),
    signalOf: (message) => claimOf(message)?.lost.signal ?? AbortSignal.abort(),
    stop: () => {
      clearInterval(timer);
      return renewing;
    },
  };

  function claimOf(message: OutgoingMessage) {
    const claim = claims.get(message.id);
    return claim?.message.fencingToken === message.fencingToken ? claim : undefined;
  }

  async function renewAll(): Promise<void> {
    if (claims.size === 0) return;
    const askedAt = performance.now();
    try {
      const messages = [...claims.values()].map(({ message }) => message);
      for (const id of await renewClaims(database, messages, leaseMs)) {
        const claim = claims.get(id);
        if (claim) claim.endsAt = askedAt + leaseMs;
      }
    } catch (error) {
      log.warn('outbox_leases_not_renewed', { rows: claims.size, error: messageOf(error) });
    }
    for (const [id, { endsAt, lost }] of claims) {
      if (endsAt > performance.now()) continue;
      claims.delete(id);
      lost.abort();
    }
  }
}
