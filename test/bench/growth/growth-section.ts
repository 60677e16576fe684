import { Pool } from 'pg';
import { type BenchServer, withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { Recorder } from '../figures.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import type { BenchRun, Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { measureDuplicates } from './duplicate-storm.ts';
import { bytesPerEvent, fillRows } from './fill-rows.ts';
import type { GrowthJob, GrowthResult } from './growth-job.ts';
import { measurePinnedVacuum, pinned, unpinned, vacuumed } from './pinned-vacuum.ts';

const name = 'Mailroom, empty handlers';
const pendingName = (count: number) => `${count.toLocaleString('en')} pending`;
const behindName = (count: number) => `1,000 pending, ${count.toLocaleString('en')} processed behind them`;
const thousand = 1_000;
const million = 1_000_000;

/** Whether anything gets slower as the inbox grows. One round: each takes minutes. */
export const growthSection: Section = {
  name: 'growth',
  title: 'Growth: claims and completions beside many rows, small bodies, empty handlers',
  measure,
  ratios: [
    ...[100 * thousand, million, 5 * million].map((count) => ({
      title: `claim of 50: ${pendingName(count)} to ${pendingName(thousand)}`,
      of: { scenario: pendingName(count), contender: name, metric: 'claim' as const },
      to: { scenario: pendingName(thousand), contender: name, metric: 'claim' as const },
      goal: { atMost: 1.2 },
    })),
    {
      title: 'throughput: a snapshot held open to none',
      of: { scenario: pinned, contender: name, metric: 'rate' },
      to: { scenario: unpinned, contender: name, metric: 'rate' },
      goal: { atLeast: 0.7 },
    },
    {
      title: 'throughput: after the snapshot ended and vacuum ran, to before',
      of: { scenario: vacuumed, contender: name, metric: 'rate' },
      to: { scenario: unpinned, contender: name, metric: 'rate' },
      goal: { atLeast: 0.9 },
    },
  ],
  plots: [
    { kind: 'lines', scenarios: [thousand, 100 * thousand, million, 5 * million].map(pendingName), metric: 'claim' },
  ],
};

async function measure(run: BenchRun, record: Recorder): Promise<void> {
  await withServer(async (server) => {
    const url = await server.createDatabase('mailroom_growth');
    await (await createMailroomQueue(url)).close();
    const pool = new Pool({ connectionString: url, max: 4 });
    try {
      for (const { pending, processed } of sizesOf(run))
        await measureSize({ server, run, record, url, pool }, pending, processed);
      await measureDuplicates({ run, record, url, pool });
      await measurePinnedVacuum({ server, run, record, url, pool }, name);
    } finally {
      await pool.end();
    }
  });
}

function sizesOf({ quick, huge }: BenchRun): readonly { readonly pending: number; readonly processed: number }[] {
  if (quick)
    return [
      { pending: thousand, processed: 0 },
      { pending: thousand, processed: 5 * thousand },
    ];
  const pending = [thousand, 100 * thousand, million, ...(huge ? [5 * million] : [])];
  return [
    ...pending.map((count) => ({ pending: count, processed: 0 })),
    { pending: thousand, processed: huge ? 5 * million : million },
  ];
}

async function measureSize(
  { server, run, record, url, pool }: { server: BenchServer; run: BenchRun; record: Recorder; url: string; pool: Pool },
  pending: number,
  processed: number,
): Promise<void> {
  const scenario = processed === 0 ? pendingName(pending) : behindName(processed);
  await pool.query('truncate webhook_inbox, webhook_delivery, inbox_failures');
  if (processed > 0) await fillRows(pool, { from: 0, count: processed, state: 'processed' });
  await fillRows(pool, { from: processed, count: pending, state: 'pending' });
  const bytes = await bytesPerEvent(pool);

  const claims = run.quick ? 10 : Math.min(200, pending / 100);
  const count = pending < 10 * thousand ? 0 : 20 * thousand;
  const job: GrowthJob = { url, claims, count, warm: Math.round(count / 10) };
  const growth = await startBenchProcess<GrowthResult>(server, './growth/growth-process.ts', job, run.profiles);
  const { result } = await growth.runToEnd();
  record.add(scenario, name, {
    ...(result.perSecond === null ? {} : { rate: result.perSecond }),
    claim: result.claimMs,
    complete: result.completeMs,
    bytes,
  });
  const { rows } = await pool.query<{ all: string; wrong: string; done: string }>(
    `select count(*) as all, count(*) filter (where state not in ('processed', 'pending')) as wrong,
       count(*) filter (where state = 'processed') as done from webhook_inbox`,
  );
  expectCount('events', Number(rows[0]?.all), pending + processed);
  expectCount('events in other states', Number(rows[0]?.wrong), 0);
  // The worker may have gone a little further than it was watched.
  const least = processed + claims * 50 + (count === 0 ? 0 : job.warm + count);
  if (Number(rows[0]?.done) < least)
    throw new Error(`expected at least ${least} processed events, found ${rows[0]?.done}`);
  run.say(scenario);
}
