import type { Database } from '@mailroom/db';
import { type ClaimedEvent, renew } from '@mailroom/inbox';
import { type Logger, messageOf } from '@mailroom/kernel';

export interface LeaseKeeper {
  /** No more renewals; resolves when the one under way is over. */
  stop(): Promise<void>;
}

/**
 * Renews, every third of the lease, the leases of the rows a worker holds and has not finished. Rows that are being processed are
 * skipped by the statement: their own lock keeps everybody off. Runs on the control connections, which handlers never occupy.
 */
export function keepLeases(options: {
  readonly control: Database;
  readonly leaseMs: number;
  readonly held: () => readonly ClaimedEvent[];
  readonly log: Logger;
}): LeaseKeeper {
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renewHeld);
  }, options.leaseMs / 3);

  return {
    stop: () => {
      clearInterval(timer);
      return renewing;
    },
  };

  async function renewHeld(): Promise<void> {
    const held = options.held();
    if (held.length === 0) return;
    try {
      await renew(options.control, held, options.leaseMs);
    } catch (error) {
      options.log.warn('leases_not_renewed', { rows: held.length, error: messageOf(error) });
    }
  }
}
