import { type Database, inTransaction, type Tx } from '@mailroom/db';
import { sql } from 'kysely';
import { releaseNext } from './sql/release.ts';

export interface OutboxAction {
  /** Outbox ids, decimal. */
  readonly ids: readonly string[];
  readonly actor: string;
  /** Why; kept for ever. */
  readonly reason: string;
}

/**
 * What became of one id. `done`: retried or skipped. `claimed`: a relay is sending it. The others are states in which the action means
 * nothing.
 */
export type OutboxActionOutcome = 'done' | 'claimed' | 'held' | 'published' | 'skipped' | 'not_found';

export interface OutboxActionResult {
  readonly id: string;
  readonly outcome: OutboxActionOutcome;
}

/**
 * Makes messages due at once with all their attempts ahead of them: those that need review, wait for their next attempt, or had no sink.
 * A held one waits for another, which is the one to retry. One row of `operator_actions` records it.
 */
export function retryMessages(database: Database, action: OutboxAction): Promise<readonly OutboxActionResult[]> {
  return act(database, action, 'outbox_retry', (tx, id) => retryRow(tx, id));
}

/**
 * Gives up messages that were not sent and are not being sent, so that what waits behind them goes on. Final: a skipped message is
 * never sent. One row of `operator_actions` records it.
 */
export function skipMessages(database: Database, action: OutboxAction): Promise<readonly OutboxActionResult[]> {
  return act(database, action, 'outbox_skip', async (tx, id) => {
    const aggregate = await skipRow(tx, id);
    if (aggregate === undefined) return false;
    await releaseNext(tx, [aggregate], releasedAtOnce);
    return true;
  });
}

async function act(
  database: Database,
  { ids, actor, reason }: OutboxAction,
  name: string,
  change: (tx: Tx, id: string) => Promise<boolean>,
): Promise<readonly OutboxActionResult[]> {
  return await inTransaction(database, async (tx) => {
    const results: OutboxActionResult[] = [];
    // In one order, for two operators must not deadlock.
    for (const id of [...new Set(ids)].toSorted((a, b) => Number(BigInt(a) - BigInt(b)))) {
      results.push({ id, outcome: (await change(tx, id)) ? 'done' : await refusal(tx, id) });
    }
    const done = results.filter(({ outcome }) => outcome === 'done').map(({ id }) => id);
    await sql`
      insert into operator_actions (actor, action, reason, selection, affected)
      values (${actor}, ${name}, ${reason}, ${JSON.stringify({ messages: ids, done })}::jsonb, ${done.length})`.execute(
      tx,
    );
    return results;
  });
}

async function retryRow(tx: Tx, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update outbox set state = 'pending', attempts = 0, available_at = now(), claimed_by = null, claimed_until = null
    where outbox_id = ${id}::bigint and state in ('pending', 'needs_review', 'unrouted')
      and (claimed_until is null or claimed_until <= now())`.execute(tx);
  return numAffectedRows === 1n;
}

async function skipRow(tx: Tx, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ readonly aggregate: string }>`
    update outbox set state = 'skipped', claimed_by = null, claimed_until = null
    where outbox_id = ${id}::bigint and state in ('pending', 'held', 'needs_review', 'unrouted')
      and (claimed_until is null or claimed_until <= now())
    returning aggregate`.execute(tx);
  return rows[0]?.aggregate;
}

async function refusal(tx: Tx, id: string): Promise<OutboxActionOutcome> {
  const { rows } = await sql<{ readonly state: string }>`
    select state from outbox where outbox_id = ${id}::bigint`.execute(tx);
  switch (rows[0]?.state) {
    case undefined:
      return 'not_found';
    case 'published':
    case 'skipped':
    case 'held':
      return rows[0].state;
    default:
      return 'claimed';
  }
}

const releasedAtOnce = 100;
