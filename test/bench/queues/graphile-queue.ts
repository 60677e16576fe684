import { makeWorkerUtils } from 'graphile-worker';
import { Pool } from 'pg';
import type { BenchEvent } from '../bench-event.ts';
import { businessTables, checkBusiness, emptyBusinessTables, expectCount } from '../business/tables.ts';
import { graphileLogger, graphileTask } from './graphile-settings.ts';
import { type Queue, settleText } from './queue.ts';

/** graphile-worker in a database of its own. */
export async function createGraphileQueue(url: string): Promise<Queue> {
  const pool = new Pool({ connectionString: url, max: 5 });
  // The server is stopped while connections are idle.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const utils = await makeWorkerUtils({ pgPool: pool, logger: graphileLogger });
  await utils.migrate();
  await pool.query(businessTables);
  return {
    url,
    empty: async () => {
      await pool.query('truncate graphile_worker._private_jobs');
      await pool.query(emptyBusinessTables);
    },
    fill: async (events: readonly BenchEvent[]) => {
      for (let from = 0; from < events.length; from += fillRows) {
        await utils.addJobs(
          events.slice(from, from + fillRows).map(({ body }) => ({
            identifier: graphileTask,
            payload: JSON.parse(body.toString()) as unknown,
            maxAttempts: 1,
          })),
        );
      }
      for (const text of settleText) await pool.query(text);
    },
    check: async ({ failed, effects }) => {
      await checkBusiness(pool, effects);
      const { rows } = await pool.query<{ failed: string; others: string }>(
        `select count(*) filter (where attempts = 1 and last_error is not null) as failed,
           count(*) filter (where attempts <> 1 or last_error is null) as others
         from graphile_worker._private_jobs`,
      );
      expectCount('failed jobs', Number(rows[0]?.failed), failed);
      expectCount('jobs left', Number(rows[0]?.others), 0);
    },
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}

const fillRows = 1_000;
