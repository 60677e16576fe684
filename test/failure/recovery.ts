import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ChaosDatabase } from './chaos-database.ts';
import type { PlannedEvent, Stories } from './stories.ts';

export interface Recovery {
  /** Posts an event now and waits until it is processed: milliseconds since `sinceMs`, or null after the deadline. */
  measure(sinceMs: number): Promise<number | null>;
}

const deadlineMs = 60_000;
const lookEveryMs = 40;

/** Tells how long the fleet takes until it processes new events again. */
export function createRecovery(options: {
  readonly database: ChaosDatabase;
  readonly stories: Stories;
  readonly send: (events: readonly PlannedEvent[]) => void;
}): Recovery {
  const { database, stories, send } = options;
  return { measure };

  async function measure(sinceMs: number): Promise<number | null> {
    const event = stories.probe();
    send([event]);
    let session: Client | undefined;
    try {
      while (performance.now() - sinceMs < deadlineMs) {
        try {
          session ??= await database.connect();
          if (await isProcessed(session, event.id)) return performance.now() - sinceMs;
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

async function isProcessed(session: Client, eventId: string): Promise<boolean> {
  const { rows } = await session.query<{ state: string }>(
    `select state from webhook_inbox where provider = 'stripe' and endpoint = 'billing' and event_id = $1`,
    [eventId],
  );
  return rows[0]?.state === 'processed';
}
