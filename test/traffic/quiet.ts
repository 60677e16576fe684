import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Everything of a storm is done well within this on any machine; then something is stuck. */
const quietDeadlineMs = 120_000;
/** Duplicates are counted beside the acknowledging path, once a second. */
const countedDeadlineMs = 15_000;
const lookEveryMs = 200;

/**
 * Waits until no event of the run waits for its first attempt or is being worked on, then until as many duplicates are counted
 * as were sent, and says what has not come to rest by its deadline; null: everything has. Compare in any case: the comparison
 * names the rows.
 */
export async function untilQuiet(
  client: ClientBase,
  run: string,
  wanted: { readonly events: number; readonly duplicates: number },
): Promise<string | null> {
  const settled = await until(quietDeadlineMs, async () => {
    const { rows } = await client.query<{ there: number; busy: number }>(busySql, [run]);
    const [{ there, busy } = { there: 0, busy: 0 }] = rows;
    return there >= wanted.events && busy === 0
      ? null
      : `${there} of ${wanted.events} events stored, ${busy} unfinished`;
  });
  if (settled !== null) return `not quiet within ${quietDeadlineMs / 1000} s: ${settled}`;
  const uncounted = await until(countedDeadlineMs, async () => {
    const { rows } = await client.query<{ counted: number }>(countedSql, [run]);
    const counted = rows[0]?.counted ?? 0;
    return counted >= wanted.duplicates ? null : `${counted} of ${wanted.duplicates}`;
  });
  return uncounted === null ? null : `duplicates not counted within ${countedDeadlineMs / 1000} s: ${uncounted}`;
}

/** Looks until `problem` is null or the time is over; the last problem. */
async function until(deadlineMs: number, problem: () => Promise<string | null>): Promise<string | null> {
  const deadlineAtMs = Date.now() + deadlineMs;
  for (;;) {
    const found = await problem();
    if (found === null || Date.now() >= deadlineAtMs) return found;
    await pause(lookEveryMs);
  }
}

// An event that failed and waits for its next attempt is as quiet as it will get.
const busySql = `
  select count(*)::int as there,
    (count(*) filter (where state = 'pending' and (lease_token is not null or last_error is null)))::int as busy
  from webhook_inbox where starts_with(event_id, 'evt_' || $1 || '_')`;

const countedSql = `
  select coalesce(sum(count), 0)::int as counted
  from inbox_duplicates where starts_with(event_id, 'evt_' || $1 || '_')`;
