import { EventEmitter } from 'node:events';
import { type Job, type Runner, run, type WorkerEvents } from 'graphile-worker';
import { Pool } from 'pg';
import type { Task } from '../bench-process.ts';
import { paidInvoice } from '../business/invoice.ts';
import { writeOne } from '../business/three-writes.ts';
import { graphileLogger, graphileTask } from '../queues/graphile-settings.ts';
import { createFinishLine, type WorkJob, type WorkResult, type WorkWay } from './work-job.ts';

/**
 * graphile-worker on the backlog: local queue, batched completions (worker.graphile.org/docs/performance), a connection for
 * every job at once and some for itself.
 */
export function graphileRun(job: WorkJob, way: Extract<WorkWay, { queue: 'graphile-worker' }>): Task<WorkResult> {
  const pool = new Pool({ connectionString: job.url, max: way.concurrency + 4 });
  // It asks for a handler; what breaks shows in the jobs.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  let runner: Runner | undefined;
  return {
    run: async (warm) => {
      const line = createFinishLine(job, warm);
      const events: WorkerEvents = new EventEmitter();
      const finished = ({ job: { id } }: { job: Job }) => line.finished(id);
      events.on('job:success', finished);
      events.on('job:failed', finished);
      runner = await run({
        pgPool: pool,
        noHandleSignals: true,
        logger: graphileLogger,
        events,
        concurrency: way.concurrency,
        preset: {
          worker: { localQueue: { size: way.localQueue }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
        },
        taskList: {
          [graphileTask]: async (payload, { withPgClient }) => {
            await withPgClient(async (client) => {
              await client.query('begin');
              try {
                await writeOne((statement) => client.query(statement), paidInvoice(payload), job.failing);
                await client.query('commit');
              } catch (error) {
                await client.query('rollback');
                throw error;
              }
            });
          },
        },
      });
      runner.promise.catch(line.failed);
      return { ...(await line.reached), inVain: 0 };
    },
    close: async () => {
      await runner?.stop();
      await pool.end();
    },
  };
}
