import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ChaosDatabase } from './chaos-database.ts';
import type { PlannedEvent, Stories } from './stories.ts';

export interface Recovery {
  /** Milliseconds from `sinceMs` until an event that was posted after it is processed, or null after the deadline. */
  measure(sinceMs: number): Promise<number | null>;
}

const deadlineMs = 60_000;
const lookEveryMs = 40;
/** An event may be held by a worker that is killed next; then a later one says that the fleet works. */
const postEveryMs = 2_000;

/** Tells how long the fleet takes until it processes new events again. */
export function createRecovery(options: {
  readonly database: ChaosDatabase;
  readonly stories: Stories;
  readonly send: (events: readonly PlannedEvent[]) => void;
}): Recovery {
  const { database, stories, send } = options;
  return { measure };

  async function measure(sinceMs: number): Promise<number | null> {
    const posted: string[] = [];
    let session: Client | undefined;
    try {
      for (let elapsedMs = 0; elapsedMs < deadlineMs; elapsedMs = performance.now() - sinceMs) {
        if (elapsedMs >= posted.length * postEveryMs) {
          const event = stories.probe();
          send([event]);
          posted.push(event.id);
        }
        try {
          session ??= await database.connect();
          if (await isProcessed(session, posted)) return performance.now() - sinceMs;
        } catch {
          // The database is away just now.
          await session?.end().catch(() => undefined);
          session = undefined;
        }
        await pause(lookEveryMs);
      }
      return null;
    } finally {
      await session?.end().catch(() => undefined);
    }
  }
}

async function isProcessed(session: Client, eventIds: readonly string[]): Promise<boolean> {
  const { rowCount } = await session.query(
    `select from webhook_inbox
     where provider = 'stripe' and endpoint = 'billing' and event_id = any($1) and state = 'processed' limit 1`,
    [eventIds],
  );
  return rowCount === 1;
}
