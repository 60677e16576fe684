import { setTimeout as pause } from 'node:timers/promises';
import { classifyDatabaseError, type Database } from '@mailroom/db';
import { type Pruned, pruneAlone, type Retention, type RetentionRule } from '@mailroom/inbox';
import { CodedError, type Logger, messageOf } from '@mailroom/kernel';
import { redeliveryMsOf } from '@mailroom/providers';

/** Its name in `housekeeping`. */
export const pruneChore = 'prune';

/** What the pruner tells the metrics. */
export interface PrunerObserver {
  pruned(table: RetentionRule['table'], rows: number): void;
}

export interface PrunerOptions {
  readonly database: Database;
  /** Who does it, for people. */
  readonly name: string;
  readonly retention: Retention;
  readonly everyMs: number;
  readonly log: Logger;
  readonly observe: PrunerObserver;
}

export interface Pruner {
  /** Ends a pass after the batch under way; resolves then. The next worker begins it again. */
  stop(): Promise<void>;
}

/** Deletes what is kept no longer, in one of all the workers at a time. */
export function startPruner(options: PrunerOptions): Pruner {
  const { database, retention, everyMs, log } = options;
  const stopping = new AbortController();
  const chore = { name: pruneChore, holder: options.name, leaseMs, everyMs };
  const running = run();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const worked = await tryPass();
      const waitMs = worked ? Math.min(everyMs, lookEveryMs) : everyMs;
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function tryPass(): Promise<boolean> {
    const startedAt = performance.now();
    try {
      const pruned = await pruneAlone(database, chore, {
        retention,
        redeliveryMsOf,
        signal: stopping.signal,
        onBatch: ({ table }, rows) => options.observe.pruned(table, rows),
      });
      if (pruned) tell(pruned, performance.now() - startedAt);
      return true;
    } catch (error) {
      const lasting = error instanceof CodedError && error.code === 'retention_too_short';
      const level = lasting || classifyDatabaseError(error) === 'permission' ? 'error' : 'warn';
      log[level]('prune_failed', { error: messageOf(error) });
      return false;
    }
  }

  function tell(pruned: readonly Pruned[], tookMs: number): void {
    const some = pruned.filter(({ rows }) => rows > 0);
    log.info('prune_finished', {
      rows: some.reduce((sum, { rows }) => sum + rows, 0),
      duration_ms: Math.round(tookMs),
      tables: Object.fromEntries(some.map(({ rule, rows }) => [rule.table, rows])),
    });
  }
}

const leaseMs = 60_000;
const lookEveryMs = 60_000;
