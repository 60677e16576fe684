import { formatEventKey } from '@mailroom/kernel';
import { type Attempt, attemptDue, type WorkerOptions } from './attempt.ts';

/**
 * Tries events until nothing is left that trying again would help: whatever waits for a later time (a backoff, a snooze) is made
 * due at once. Answers the attempts.
 */
export async function workOff(options: WorkerOptions): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  for (let fruitless = 0; fruitless < giveUpAfter; fruitless += 1) {
    await makeDue(options);
    const tried = await attemptDue(options);
    if (tried.length === 0) break;
    attempts.push(...tried);
    if (tried.some(isProgress)) fruitless = -1;
  }
  return attempts;
}

/** Events that are not finished, and why, for a person. */
export async function unfinished(
  { control: { pool } }: WorkerOptions,
  attempts: readonly Attempt[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<UnfinishedRow>(
    `select provider, endpoint, event_id as "eventId", event_type as "eventType", state,
      coalesce(state_reason, last_error) as reason
    from webhook_inbox where state not in ('processed', 'ignored') order by received_at`,
  );
  return rows.map((row) => {
    const key = formatEventKey(row);
    const last = attempts.findLast(({ claimed }) => formatEventKey(claimed) === key)?.result;
    const snoozed = last?.outcome === 'snoozed' ? `snoozed: ${last.reason}` : null;
    const parked = row.state === 'parked' ? `none of the handlers is for ${row.provider} ${row.eventType}` : null;
    return `${row.eventType} (${key}) is ${row.state}: ${snoozed ?? parked ?? row.reason ?? 'it was not tried'}`;
  });
}

interface UnfinishedRow {
  readonly provider: string;
  readonly endpoint: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: string;
  readonly reason: string | null;
}

async function makeDue({ control: { pool } }: WorkerOptions): Promise<void> {
  await pool.query(
    "update webhook_inbox set available_at = now() where state = 'pending' and lease_token is null and available_at > now()",
  );
}

/** Finished; or failed for infrastructure's sake, which says nothing about the handler and is bounded by the inbox. */
function isProgress({ result }: Attempt): boolean {
  return result.outcome === 'retried' ? result.settlement.refund === 'infra' : result.outcome !== 'snoozed';
}

// A handler that fails on one try may do well on the next, when another transaction that was in its way is over.
const giveUpAfter = 3;
