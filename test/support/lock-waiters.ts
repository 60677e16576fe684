import type { Database } from '@mailroom/db';
import { waitFor } from './wait-for.ts';

/** Waits until exactly so many sessions of this database wait for a lock that another holds. */
export async function waitForLockWaiters({ pool }: Database, count: number): Promise<void> {
  await waitFor(`${count} sessions to wait for a lock`, async () => {
    const { rows } = await pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows[0]?.waiting === count;
  });
}
