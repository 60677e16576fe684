import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { type Chore, endChore, keepChore, takeChore } from './housekeeping.ts';
import { type Retention, type RetentionRule, retentionRules } from './retention-rules.ts';
import { listProviders } from './sql/list-providers.ts';
import { pruneBatch } from './sql/prune.ts';

export interface PruneOptions {
  readonly retention: Retention;
  /** For how long a provider may send an event again, milliseconds; null: not known. */
  readonly redeliveryMsOf: (provider: string) => number | null;
  /** Count what would go, and delete nothing. */
  readonly dryRun?: boolean;
  /** Ends the pass between two batches. */
  readonly signal?: AbortSignal;
  /** After every batch, also one that deleted nothing. What it throws ends the pass. */
  readonly onBatch?: (rule: RetentionRule, rows: number) => Promise<void> | void;
}

export interface Pruned {
  readonly rule: RetentionRule;
  readonly rows: number;
}

/**
 * One pass over everything that has a retention. Deletes in batches that adapt to about 50 ms each, and rests as long as it works, so
 * that ingestors and workers hardly notice. Any number of passes may run at once; they share the rows. A pass that is broken off
 * anywhere has done what it has done.
 *
 * Throws `retention_too_short`, before anything is deleted, where the ledger holds events of a provider that may send them again for
 * longer than they are kept: such an event would take effect twice.
 */
export async function prune(database: Database, options: PruneOptions): Promise<readonly Pruned[]> {
  await checkRedelivery(database, options);
  const oldBefore = await momentsOf(database, options.retention);
  const pruned: Pruned[] = [];
  for (const rule of retentionRules) {
    if (options.signal?.aborted) break;
    pruned.push({ rule, rows: await pruneByRule(database, rule, oldBefore[rule.keptFor], options) });
  }
  return pruned;
}

/**
 * As `prune`, by one process at a time: undefined where the chore is not due or another has it. A pass that was broken off counts as
 * not done. Throws `chore_lost` where the lease ran out meanwhile, for then another may have begun.
 */
export async function pruneAlone(
  database: Database,
  chore: Chore,
  options: PruneOptions,
): Promise<readonly Pruned[] | undefined> {
  if (!(await takeChore(database, chore))) return undefined;
  let keptAt = performance.now();
  let finished = false;
  try {
    const pruned = await prune(database, {
      ...options,
      onBatch: async (rule, rows) => {
        await options.onBatch?.(rule, rows);
        if (performance.now() - keptAt < chore.leaseMs / 3) return;
        if (!(await keepChore(database, chore))) throw new CodedError('chore_lost', 'the lease of the pruning ran out');
        keptAt = performance.now();
      },
    });
    finished = !options.signal?.aborted;
    return pruned;
  } finally {
    await endChore(database, chore, finished).catch(() => undefined);
  }
}

async function pruneByRule(
  database: Database,
  rule: RetentionRule,
  oldBefore: Date,
  { dryRun = false, signal, onBatch }: PruneOptions,
): Promise<number> {
  let rows = 0;
  let limit = 500;
  let after: readonly string[] | null = null;
  for (;;) {
    if (signal?.aborted) return rows;
    const startedAt = performance.now();
    const batch = await pruneBatch(database, rule, { oldBefore, limit, after, dryRun });
    const tookMs = performance.now() - startedAt;
    rows += batch.gone;
    await onBatch?.(rule, batch.gone);
    if (batch.seen < limit || (rule.byAge && batch.old === 0)) return rows;
    after = batch.last;
    limit = nextLimit(limit, tookMs);
    await pause(tookMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

/** Towards batches of 50 ms. A delete of a large body costs more than one of a small row, and a busy server is slower. */
function nextLimit(limit: number, tookMs: number): number {
  const factor = Math.min(2, Math.max(0.5, aimMs / Math.max(tookMs, 1)));
  return Math.min(maxRows, Math.max(minRows, Math.round(limit * factor)));
}

/** By the database's clock, once a pass. */
async function momentsOf(database: Database, retention: Retention): Promise<Record<keyof Retention, Date>> {
  const { rows } = await database.pool.query<{ now: Date }>('select now() as now');
  const now = rows[0]?.now.getTime() ?? 0;
  const moments = Object.entries(retention).map(([name, days]) => [name, new Date(now - days * dayMs)]);
  return Object.fromEntries(moments) as Record<keyof Retention, Date>;
}

async function checkRedelivery(database: Database, { retention, redeliveryMsOf }: PruneOptions): Promise<void> {
  for (const provider of await listProviders(database)) {
    const days = (redeliveryMsOf(provider) ?? 0) / dayMs;
    if (days < retention.ledgerDays && days <= retention.bodyDays) continue;
    throw new CodedError(
      'retention_too_short',
      `events of ${provider} may come again for ${days} days, but are kept for ${retention.ledgerDays} and their bodies for ` +
        `${retention.bodyDays}: nothing is pruned. Raise LEDGER_RETENTION_DAYS or BODY_RETENTION_DAYS.`,
    );
  }
}

const dayMs = 86_400_000;
const aimMs = 50;
const minRows = 50;
const maxRows = 5_000;
