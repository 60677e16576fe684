import { Pool } from 'pg';
import type { BenchEvent } from '../bench-event.ts';
import { businessTables, checkBusiness, emptyBusinessTables, expectCount } from '../business/tables.ts';
import { bossQueue, openBoss } from './pg-boss-settings.ts';
import { type Queue, settleText } from './queue.ts';

/** pg-boss in a database of its own. */
export async function createBossQueue(url: string): Promise<Queue> {
  const pool = new Pool({ connectionString: url, max: 5 });
  // The server is stopped while connections are idle.
  pool.on('error', () => undefined);
  const boss = await openBoss(url, 5);
  // A table of its own: "more useful for a large queue" (pg-boss, createQueue). Whatever is meant to fail does so once.
  await boss.createQueue(bossQueue, { partition: true, retryLimit: 0 });
  await pool.query(businessTables);
  return {
    url,
    empty: async () => {
      await pool.query('truncate pgboss.job');
      await pool.query(emptyBusinessTables);
    },
    fill: async (events: readonly BenchEvent[]) => {
      for (let from = 0; from < events.length; from += fillRows) {
        await boss.insert(
          bossQueue,
          events.slice(from, from + fillRows).map(({ body }) => ({ data: JSON.parse(body.toString()) as object })),
        );
      }
      for (const text of settleText) await pool.query(text);
    },
    check: async ({ done, failed, effects }) => {
      await checkBusiness(pool, effects);
      const { rows } = await pool.query<{ state: string; count: string }>(
        `select state::text, count(*) from pgboss.job where name = '${bossQueue}' group by state`,
      );
      const countOf = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
      expectCount('completed jobs', countOf('completed'), done);
      expectCount('failed jobs', countOf('failed'), failed);
      expectCount(
        'jobs in other states',
        rows.reduce((sum, row) => sum + Number(row.count), -done - failed),
        0,
      );
    },
    close: async () => {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}

const fillRows = 1_000;
