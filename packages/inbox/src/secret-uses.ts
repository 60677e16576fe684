import type { Database } from '@mailroom/db';
import { type Logger, messageOf } from '@mailroom/kernel';

/** A secret of an endpoint. */
export interface SecretName {
  readonly provider: string;
  readonly endpoint: string;
  readonly secretLabel: string;
}

export interface SecretUseRecorder {
  /** Notes that a delivery was verified under this secret. Never waits and never fails. */
  matched(name: SecretName): void;
  /** Writes what was noted. */
  close(): Promise<void>;
}

/**
 * Counts by secret and day what was verified, outside the acknowledging path: in memory, written every few seconds. What
 * could not be written is written with the next, for a secret that looks unused is removed; a crash loses a few seconds.
 */
export function createSecretUseRecorder(database: Database, log: Logger): SecretUseRecorder {
  // Bounded by the configuration: names come from there alone.
  const counts = new Map<string, SecretName & { count: number }>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  return { matched, close: flush };

  function matched(name: SecretName): void {
    add(name, 1);
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref();
  }

  function add(name: SecretName, count: number): void {
    const key = `${name.provider}/${name.endpoint}/${name.secretLabel}`;
    const known = counts.get(key);
    if (known) known.count += count;
    else counts.set(key, { ...name, count });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    // In key order, so that two ingestors never deadlock.
    const rows = [...counts.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    if (rows.length === 0) return;
    counts.clear();
    try {
      await database.pool.query(addUsesText, [
        rows.map((row) => row.provider),
        rows.map((row) => row.endpoint),
        rows.map((row) => row.secretLabel),
        rows.map((row) => row.count),
      ]);
    } catch (error) {
      for (const row of rows) add(row, row.count);
      log.warn('secret_uses_not_written', { rows: rows.length, error: messageOf(error) });
    }
  }
}

/**
 * Index: primary key of inbox_secret_uses. Locks: upserts in the order given, by key. One statement, committed by itself.
 * Concurrent ingestors wait for each other for the moment of this statement.
 */
const addUsesText = `
insert into inbox_secret_uses as u (provider, endpoint, secret_label, day, matches, last_at)
select n.provider, n.endpoint, n.secret_label, (now() at time zone 'UTC')::date, n.count, now()
from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) with ordinality
  as n (provider, endpoint, secret_label, count, number)
order by n.number
on conflict (provider, endpoint, secret_label, day) do update
set matches = u.matches + excluded.matches, last_at = excluded.last_at`;

const flushEveryMs = 5_000;
