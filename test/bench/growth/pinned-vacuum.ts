import type pg from 'pg';
import type { BenchServer } from '../bench-server.ts';
import type { Recorder } from '../figures.ts';
import type { BenchRun } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { fillRows } from './fill-rows.ts';
import type { GrowthJob, GrowthResult } from './growth-job.ts';

export const unpinned = 'no snapshot held';
export const pinned = 'a snapshot held open all the while';
export const vacuumed = 'after it ended and vacuum ran';

interface Bench {
  readonly server: BenchServer;
  readonly run: BenchRun;
  readonly record: Recorder;
  readonly url: string;
  readonly pool: pg.Pool;
}

/** A repeatable-read transaction keeps vacuum from removing anything while events are worked off beside it. */
export async function measurePinnedVacuum(bench: Bench, name: string): Promise<void> {
  const { pool, run } = bench;
  await pool.query('truncate webhook_inbox, webhook_delivery');
  const count = run.quick ? 1_000 : 200_000;
  await fillRows(pool, { from: 0, count, state: 'pending' });
  await workOff(bench, unpinned, name, count);

  await fillRows(pool, { from: count, count, state: 'pending' });
  const holder = await pool.connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query('select 1 from webhook_inbox limit 1');
  await workOff(bench, pinned, name, count);
  await holder.query('commit');
  holder.release();

  await pool.query('vacuum (analyze) webhook_inbox, webhook_delivery');
  await fillRows(pool, { from: 2 * count, count, state: 'pending' });
  await workOff(bench, vacuumed, name, count);
}

async function workOff(
  { server, run, record, url }: Bench,
  scenario: string,
  name: string,
  count: number,
): Promise<void> {
  const warm = Math.round(count / 20);
  const job: GrowthJob = { url, claims: 0, count: count - warm, warm };
  const worker = await startBenchProcess<GrowthResult>(server, './growth/growth-process.ts', job, run.profiles);
  const { result } = await worker.runToEnd();
  record.add(scenario, name, { rate: result.perSecond ?? Number.NaN });
  run.say(scenario);
}
