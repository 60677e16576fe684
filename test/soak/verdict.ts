import type { FoundRows, WantedRows } from '../traffic/compare.ts';
import { expectedRows } from '../traffic/expected.ts';
import type { Delivery } from '../traffic/storm-delivery.ts';
import type { Restart } from './restarts.ts';
import type { SenderBooks } from './sender.ts';

/**
 * What must be there after deliveries that met restarts: the storm's own expectation but for what a death may change. Duplicates
 * are held to bounds (below), and an event of a type without a handler may have met a worker that died, which is recorded.
 */
export function expectedAfterRestarts(answered: readonly Delivery[]): ReadonlyMap<string, WantedRows> {
  const wanted = new Map(expectedRows(answered));
  wanted.delete('inbox_duplicates');
  const inbox = wanted.get('webhook_inbox') ?? new Map<string, never>();
  const relaxed = [...inbox].map(([key, { cells, ...row }]) => {
    if (cells['state'] !== 'parked') return [key, { ...row, cells }] as const;
    const { last_error: _error, failures: _failures, ...others } = cells;
    return [key, { ...row, cells: others }] as const;
  });
  return wanted.set('webhook_inbox', new Map(relaxed));
}

export interface DuplicateCount {
  readonly wanted: number;
  readonly found: number;
  /** What killed ingestors had acknowledged and may not have written down yet, and what others said they could not. */
  readonly mayBeLost: number;
  readonly problems: readonly string[];
}

/** Counts are written once a second; the rest is for a write under way on a busy machine. */
const unwrittenForMs = 3_000;

/**
 * Duplicates are counted beside the acknowledging path. No event may count more than it was posted again, a lost answer
 * included; and in all nothing may be missing but what an ingestor had in memory when it was killed, or said it could not write.
 */
export function checkDuplicates(
  counted: FoundRows,
  { answered, posts, duplicatesAtMs }: SenderBooks,
  restarts: readonly Restart[],
  notCounted: number,
): DuplicateCount {
  const kills = restarts.filter(({ name, signal }) => name.startsWith('ingest') && signal === 'SIGKILL');
  const inMemory = duplicatesAtMs.filter((atMs) =>
    kills.some((kill) => atMs >= kill.atMs - unwrittenForMs && atMs <= kill.atMs + unwrittenForMs),
  ).length;
  const mayBeLost = inMemory + notCounted;
  const accepted = answered.filter(({ answer }) => answer === 200).map(({ event }) => event.id);
  const wanted = accepted.length - new Set(accepted).size;
  const counts = [...counted].map(([id, rows]) => ({ id, count: Number(rows[0]?.['count'] ?? 0) }));
  const found = counts.reduce((sum, { count }) => sum + count, 0);
  const problems = counts
    .filter(({ id, count }) => count > (posts.get(id) ?? 0) - 1)
    .map(({ id, count }) => `${id} counts ${count} duplicates, but was posted ${posts.get(id) ?? 0} times in all`);
  if (found < wanted - mayBeLost) {
    problems.push(`${found} duplicates counted of ${wanted}, and only ${mayBeLost} may be lost`);
  }
  return { wanted, found, mayBeLost, problems };
}
