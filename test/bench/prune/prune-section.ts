import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { Recorder } from '../figures.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import type { BenchRun, Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { percentile } from '../statistics.ts';
import { fillFinished } from './fill-finished.ts';
import type { PruneJob, PruneResult, SteadyJob, SteadyResult } from './prune-job.ts';

const name = 'Mailroom';
const alone = 'receiving alone';
const beside = 'receiving while old events are pruned';
const pruning = 'pruning meanwhile';

/** Whether pruning keeps ahead of what comes in, and what those feel who send it. One round: filling takes minutes. */
export const pruneSection: Section = {
  name: 'prune',
  title: 'Prune: finished events and their bodies of 2.4 KB, while 500 a second come in',
  measure,
  ratios: [
    {
      title: 'p50 of receiving: while pruning to alone',
      of: { scenario: beside, contender: name, metric: 'p50' },
      to: { scenario: alone, contender: name, metric: 'p50' },
    },
    {
      title: 'p99 of receiving: while pruning to alone',
      of: { scenario: beside, contender: name, metric: 'p99' },
      to: { scenario: alone, contender: name, metric: 'p99' },
    },
  ],
  plots: [],
};

async function measure(run: BenchRun, record: Recorder): Promise<void> {
  const count = run.rows ?? (run.quick ? 10_000 : run.huge ? 10_000_000 : 1_000_000);
  const rate = { perSecond: run.quick ? 200 : 500, seconds: run.quick ? 2 : 20 };
  await withServer(async (server) => {
    const url = await server.createDatabase('mailroom_prune');
    await (await createMailroomQueue(url)).close();
    const pool = new Pool({ connectionString: url, max: 2 });
    try {
      await fillFinished(pool, count);
      run.say(`filled with ${count.toLocaleString('en')} events`);
      const steadyJob: SteadyJob = { url, ...rate };
      const steady = await startBenchProcess<SteadyResult>(
        server,
        './prune/steady-process.ts',
        steadyJob,
        run.profiles,
      );
      // What comes first warms it up.
      await steady.run();
      record.add(alone, name, latencyOf([(await steady.run()).result.latencies]));
      run.say(alone);

      const before = await gigabytes(pool);
      const pruneJob: PruneJob = { url };
      const pruner = await startBenchProcess<PruneResult>(server, './prune/prune-process.ts', pruneJob, run.profiles);
      const pass = { over: false };
      const passing = pruner.runToEnd().finally(() => {
        pass.over = true;
      });
      const latencies: Float64Array[] = [];
      let slices = 2;
      while (!pass.over || latencies.length === 0) {
        latencies.push((await steady.run()).result.latencies);
        slices += 1;
        // Lets the other's end be seen.
        await delay(1);
      }
      const { result: pruned } = await passing;
      await steady.end();
      record.add(beside, name, latencyOf(latencies));
      record.add(pruning, name, {
        rate: pruned.events / pruned.seconds,
        gigabytesBefore: before,
        gigabytesAfter: await gigabytesVacuumed(pool),
        deadlocks: await deadlocks(pool),
      });
      expectCount('events pruned', pruned.events, count);
      expectCount('bodies pruned', pruned.bodies, count);
      await check(pool, slices * rate.perSecond * rate.seconds);
    } finally {
      await pool.end();
    }
  });
}

function latencyOf(slices: readonly Float64Array[]) {
  const all = slices.flatMap((slice) => [...slice]);
  return { p50: percentile(all, 0.5), p99: percentile(all, 0.99), p999: percentile(all, 0.999) };
}

async function gigabytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select (pg_total_relation_size('webhook_inbox') + pg_total_relation_size('webhook_delivery'))::float8 as bytes`,
  );
  return (rows[0]?.bytes ?? 0) / 1e9;
}

/** Space at the end of a table goes back to the disk; the rest is filled again by what comes in. */
async function gigabytesVacuumed(pool: Pool): Promise<number> {
  await pool.query('vacuum webhook_inbox, webhook_delivery');
  return await gigabytes(pool);
}

async function deadlocks(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    'select deadlocks::int as n from pg_stat_database where datname = current_database()',
  );
  const found = rows[0]?.n ?? Number.NaN;
  expectCount('deadlocks', found, 0);
  return found;
}

async function check(pool: Pool, received: number): Promise<void> {
  const { rows } = await pool.query<{ events: string; bodies: string; old: string }>(
    `select count(*) as events, count(d.body) as bodies, count(*) filter (where i.endpoint = 'old') as old
     from webhook_inbox i left join webhook_delivery d using (delivery_id)`,
  );
  expectCount('old events', Number(rows[0]?.old), 0);
  expectCount('received events', Number(rows[0]?.events), received);
  expectCount('their bodies', Number(rows[0]?.bodies), received);
}
