import type { ChaosDatabase } from './chaos-database.ts';

export interface Backlog {
  /** Events that waited to be processed at the last look; no more than a few thousand are counted. */
  readonly waiting: () => number;
  stop(): void;
}

const lookEveryMs = 1_000;

/** Looks once a second how many events wait. */
export function watchBacklog(database: ChaosDatabase): Backlog {
  let waiting = 0;
  let looking = false;
  const timer = setInterval(() => void look(), lookEveryMs);
  return { waiting: () => waiting, stop: () => clearInterval(timer) };

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int from (select from webhook_inbox where state = 'pending' limit 5000) as some`,
      );
      waiting = row?.count ?? 0;
    } catch {
      // The database is away; what waits is as it was.
    } finally {
      looking = false;
    }
  }
}
