import type { Database } from '@mailroom/db';
import { compareEventKeys, type EventKey, formatEventKey, type Logger, messageOf } from '@mailroom/kernel';
import { countDuplicates, type DuplicateCount } from './sql/count-duplicates.ts';

export interface DuplicateRecorder {
  /** Notes that a known event came again. Never waits and never fails. */
  count(key: EventKey): void;
  /** Writes what was noted. */
  close(): Promise<void>;
}

/**
 * Counts duplicates outside the acknowledging path: in memory, written once a second. A crash loses at most that second's
 * counts, never an event.
 */
export function createDuplicateRecorder(database: Database, log: Logger): DuplicateRecorder {
  let counts = new Map<string, DuplicateCount>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  return { count, close };

  function count({ provider, endpoint, eventId }: EventKey): void {
    const key = formatEventKey({ provider, endpoint, eventId });
    const known = counts.get(key);
    // A storm of duplicates of ever different events must not fill the memory; counting is advisory.
    if (!known && counts.size >= maxKeys) return;
    counts.set(key, { provider, endpoint, eventId, count: (known?.count ?? 0) + 1 });
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const rows = [...counts.values()].toSorted(compareEventKeys);
    counts = new Map();
    writing = writing.then(() => write(rows));
    return writing;
  }

  async function write(rows: readonly DuplicateCount[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await countDuplicates(database, rows);
    } catch (error) {
      const duplicates = rows.reduce((sum, row) => sum + row.count, 0);
      log.warn('duplicates_not_counted', { rows: rows.length, duplicates, error: messageOf(error) });
    }
  }

  function close(): Promise<void> {
    return flush();
  }
}

const flushEveryMs = 1_000;
const maxKeys = 10_000;
