import { Pool, type PoolClient } from 'pg';
import type { Job } from 'pg-boss';
import type { Task } from '../bench-process.ts';
import { paidInvoice } from '../business/invoice.ts';
import { writeMany, writeOne } from '../business/three-writes.ts';
import { bossQueue, openBoss } from '../queues/pg-boss-settings.ts';
import { createFinishLine, type FinishLine, type WorkJob, type WorkResult, type WorkWay } from './work-job.ts';

/**
 * pg-boss on the backlog, through fetch() and complete(): work() polls no quicker than every half second and would wait between
 * fetches. The `db` option of both puts them into a transaction of ours (pg-boss, ConnectionOptions).
 */
export async function bossRun(job: WorkJob, way: Extract<WorkWay, { queue: 'pg-boss' }>): Promise<Task<WorkResult>> {
  const pool = new Pool({ connectionString: job.url, max: way.loops });
  const boss = await openBoss(job.url, way.loops);
  const stopping = new AbortController();
  let loops: Promise<unknown> = Promise.resolve();
  const turns = { 'per-job': turnPerJob, transactional: turnTransactional, set: turnSet };

  return {
    run: async (warm) => {
      const line = createFinishLine(job, warm);
      loops = Promise.all(Array.from({ length: way.loops }, () => loop(line))).catch(line.failed);
      return { ...(await line.reached), inVain: 0 };
    },
    close: async () => {
      stopping.abort();
      await loops;
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };

  async function loop(line: FinishLine): Promise<void> {
    while (!stopping.signal.aborted) {
      const ids = await turns[way.mode](line);
      if (ids === 0) return;
    }
  }

  async function turnPerJob(line: FinishLine): Promise<number> {
    const jobs = await boss.fetch<object>(bossQueue, { batchSize: way.batch });
    const done: string[] = [];
    const failed: string[] = [];
    for (const { id, data } of jobs) {
      const list = (await worked((client) => writeOneOf(client, data))) ? done : failed;
      list.push(id);
    }
    if (done.length > 0) await boss.complete(bossQueue, done);
    if (failed.length > 0) await boss.fail(bossQueue, failed);
    for (const { id } of jobs) line.finished(id);
    return jobs.length;
  }

  async function turnTransactional(line: FinishLine): Promise<number> {
    const jobs = await boss.fetch<object>(bossQueue, { batchSize: way.batch });
    for (const { id, data } of jobs) {
      const done = await worked(async (client) => {
        await writeOneOf(client, data);
        await boss.complete(bossQueue, id, null, { db: transactionOf(client) });
      });
      if (!done) await boss.fail(bossQueue, id);
      line.finished(id);
    }
    return jobs.length;
  }

  async function turnSet(line: FinishLine): Promise<number> {
    let jobs: Job[] = [];
    const done = await worked(async (client) => {
      const db = transactionOf(client);
      jobs = await boss.fetch<object>(bossQueue, { batchSize: way.batch, db });
      if (jobs.length === 0) return;
      await writeMany(
        (statement) => client.query(statement),
        jobs.map(({ data }) => paidInvoice(data)),
      );
      await boss.complete(
        bossQueue,
        jobs.map(({ id }) => id),
        null,
        { db },
      );
    });
    if (!done) throw new Error('a set of pg-boss failed');
    for (const { id } of jobs) line.finished(id);
    return jobs.length;
  }

  async function writeOneOf(client: PoolClient, data: object): Promise<void> {
    await writeOne((statement) => client.query(statement), paidInvoice(data), job.failing);
  }

  /** In a transaction; false: it failed and was rolled back. */
  async function worked(work: (client: PoolClient) => Promise<void>): Promise<boolean> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(client);
      await client.query('commit');
      return true;
    } catch {
      await client.query('rollback');
      return false;
    } finally {
      client.release();
    }
  }
}

function transactionOf(client: PoolClient) {
  return { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
}
