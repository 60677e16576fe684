import type { Database } from '@mailroom/db';

/** Asks the database whether it would take a receipt. */
export interface DatabaseProbe {
  /** True when the ledger answered within `probeDeadlineMs`. */
  answers(): Promise<boolean>;
}

/**
 * Callers at the same moment share one question, so that a balancer that asks often cannot use up the pool while the
 * database hangs.
 */
export function createDatabaseProbe(database: Database): DatabaseProbe {
  let asking: Promise<boolean> | undefined;
  return { answers };

  async function answers(): Promise<boolean> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    const deadline = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => deadline.resolve(false), probeDeadlineMs);
    const answered = await Promise.race([asking, deadline.promise]);
    clearTimeout(timer);
    return answered;
  }

  async function ask(): Promise<boolean> {
    try {
      // Not `select 1`: without the table or the right to it, every delivery would fail.
      await database.pool.query('select from webhook_inbox limit 0');
      return true;
    } catch {
      return false;
    }
  }
}

/** Shorter than the second that an orchestrator's probe usually waits. */
const probeDeadlineMs = 800;
