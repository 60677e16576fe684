import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@mailroom/db';

/** A transaction of one's own, and the function to call in it when it has written all. */
type Party = (beforeCommit: () => Promise<void>) => Promise<void>;

/**
 * Runs transactions side by side so that each has written all it will before any of them commits, as far as locks allow. This
 * is the worst that concurrency can do, without chance: whoever reads and later writes without a lock acts on what the others
 * are about to change. The parties begin one after another, each when the one before it has written all or waits for a lock;
 * those that wait for a lock go on when its holder commits, and then hold back their own commit likewise.
 *
 * Each party is given a function for its transaction to call when it has written all; it resolves when nobody gets any further
 * without that commit.
 */
export async function withHeldCommits(database: Database, parties: readonly Party[]): Promise<void> {
  const running = new Set<object>();
  let held: (() => void)[] = [];
  let holding = true;
  const beforeCommit = async () => {
    if (holding) await new Promise<void>((resolve) => void held.push(resolve));
  };
  const ends: Promise<void>[] = [];
  try {
    for (const party of parties) {
      ends.push(run(party));
      await untilNobodyMoves();
    }
    while (running.size > 0) {
      release();
      await untilNobodyMoves();
    }
  } finally {
    holding = false;
    release();
    await Promise.allSettled(ends);
  }
  await Promise.all(ends);

  async function run(party: Party): Promise<void> {
    running.add(party);
    try {
      await party(beforeCommit);
    } finally {
      running.delete(party);
    }
  }

  function release(): void {
    const released = held;
    held = [];
    for (const resolve of released) resolve();
  }

  /** Every party holds back its commit, waits for a lock, or is over. A deadlock is ended by PostgreSQL, within a second. */
  async function untilNobodyMoves(): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    while (running.size > 0 && (held.length === 0 || held.length + (await countLockWaiters(database)) < running.size)) {
      if (performance.now() > deadline) {
        throw new Error(`after ${deadlineMs} ms a transaction has neither written all nor does it wait for a lock`);
      }
      await pause(1);
    }
  }
}

async function countLockWaiters({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
     where wait_event_type = 'Lock' and backend_type = 'client backend' and datname = current_database()`,
  );
  return rows[0]?.waiting ?? 0;
}

const deadlineMs = 30_000;
