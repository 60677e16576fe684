import { Pool } from 'pg';
import type { LoadJob, LoadResult } from '../ack/load-job.ts';
import { startIngest } from '../ack/start-ingest.ts';
import { benchEndpoint } from '../bench-event.ts';
import { type BenchServer, processCost, withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { Recorder } from '../figures.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import type { BenchRun, Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { percentile } from '../statistics.ts';
import type { FinishJob, FinishResult } from './finish-job.ts';

const secret = 'whsec_bench0secret0bench0secret0bench0secret';
const capacity = 'as fast as it goes';
const bare = 'one bare commit';
const idle = 'idle, one event now and then';
const shares = [0.1, 0.5, 0.9] as const;
const loadName = (share: number) => `${share * 100} % of capacity`;
const bareCommit = 'one row, one connection';

/** From the moment a delivery is due to the moment its effect is committed: one ingestor, one worker, the shipped handlers. */
export const wholeWaySection: Section = {
  name: 'whole-way',
  title: 'Whole way: posted to effect committed, one ingestor, one worker, the shipped Stripe handlers',
  measure,
  ratios: [
    {
      title: '10 % of capacity: p50 to one bare commit',
      of: { scenario: loadName(0.1), contender: 'Mailroom', metric: 'p50' },
      to: { scenario: bare, contender: bareCommit, metric: 'p50' },
      goal: { atMost: 3 },
    },
  ],
  plots: [
    { kind: 'lines', scenarios: shares.map(loadName), metric: 'p50' },
    { kind: 'lines', scenarios: shares.map(loadName), metric: 'p99' },
  ],
};

interface Bench {
  readonly server: BenchServer;
  readonly run: BenchRun;
  readonly record: Recorder;
  readonly url: string;
  readonly pool: Pool;
}

async function measure(run: BenchRun, record: Recorder): Promise<void> {
  await withServer(async (server) => {
    const url = await server.createDatabase('mailroom_whole_way');
    await (await createMailroomQueue(url)).close();
    const pool = new Pool({ connectionString: url, max: 2 });
    const bench = { server, run, record, url, pool };
    try {
      for (let round = 1; round <= run.rounds; round += 1) {
        await measureBareCommit(bench);
        const perSecond = await pass(bench, capacity, {
          connections: 50,
          perSecond: null,
          count: run.quick ? 2_000 : 30_000,
        });
        for (const share of shares) {
          const rate = perSecond * share;
          // A few seconds each, however quick the machine is.
          const count = Math.round(Math.min(20_000, rate * (run.quick ? 2 : 15)));
          await pass(bench, loadName(share), { connections: 64, perSecond: rate, count });
        }
        await pass(bench, idle, { connections: 1, perSecond: 0.6, count: run.quick ? 3 : 30 });
        run.say(`round ${round} of ${run.rounds}: capacity ${perSecond.toFixed(0)} a second`);
      }
    } finally {
      await pool.end();
    }
  });
}

/** Lets the events through and notes how long they took; answers how many a second. */
async function pass(
  { server, run, record, url, pool }: Bench,
  scenario: string,
  load: Pick<LoadJob, 'connections' | 'perSecond' | 'count'>,
): Promise<number> {
  const warm = run.quick ? 200 : 3_000;
  await pool.query(
    'truncate webhook_inbox, webhook_delivery, inbox_duplicates, inbox_failures, invoices, ledger_entries, outbox',
  );
  await pool.query('checkpoint');
  const ingest = await startIngest({ url, secret, profiles: run.profiles });
  try {
    const job: FinishJob = { url, warm, count: load.count };
    const worker = await startBenchProcess<FinishResult>(server, './whole-way/finish-process.ts', job, run.profiles);
    const base = { ports: [ingest.port], endpoints: [benchEndpoint], secret, warm: 0 };
    const warmer = { ...base, connections: 50, from: 0, count: warm, perSecond: null };
    const warming = await startBenchProcess<LoadResult>(server, './ack/load-process.ts', warmer satisfies LoadJob);
    const timed = { ...base, ...load, from: warm };
    const sender = await startBenchProcess<LoadResult>(server, './ack/load-process.ts', timed satisfies LoadJob);
    const working = worker.runToEnd();
    // Its error is met where it is awaited; until then others may fail first.
    working.catch(() => undefined);
    await warming.runToEnd();
    // Not before the worker has caught up, or the first events would stand behind the warm-up's.
    await Promise.race([worker.warmed, working]);
    const before = await processCost(ingest.pid);
    const [finished, sent] = await Promise.all([working, sender.runToEnd()]);
    const after = await processCost(ingest.pid);
    await checkBooks(pool, warm + load.count);

    const { dueAt } = sent.result;
    const { finishedAt } = finished.result;
    const latencies = finishedAt.map((at, index) => at - (dueAt[index] ?? 0));
    const seconds = (Math.max(...finishedAt) - Math.min(...dueAt)) / 1000;
    record.add(scenario, 'Mailroom', {
      rate: load.count / seconds,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      nodeCpu: ((finished.usage.cpuMs + after.cpuMs - before.cpuMs) * 1000) / load.count,
      postgresCpu: (finished.server.cpuMs * 1000) / load.count,
      statements: finished.usage.statements / load.count,
      wal: finished.server.walBytes / load.count,
    });
    record.add(scenario, 'Mailroom, to the acknowledgement', {
      p50: percentile(sent.result.latencies, 0.5),
      p99: percentile(sent.result.latencies, 0.99),
    });
    return load.count / seconds;
  } finally {
    await ingest.end();
  }
}

/** What the machine cannot do quicker: one small INSERT after another, each committed. */
async function measureBareCommit({ run, record, pool }: Bench): Promise<void> {
  await pool.query('create table if not exists bare_commit (id bigint primary key, note text)');
  await pool.query('truncate bare_commit');
  const count = run.quick ? 200 : 2_000;
  const latencies: number[] = [];
  const client = await pool.connect();
  for (let id = 0; id < count * 1.1; id += 1) {
    const startedAt = performance.now();
    await client.query({ name: 'bare', text: 'insert into bare_commit values ($1, $2)', values: [id, 'x'] });
    if (id >= count * 0.1) latencies.push(performance.now() - startedAt);
  }
  client.release();
  record.add(bare, bareCommit, { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) });
}

async function checkBooks(pool: Pool, expected: number): Promise<void> {
  const { rows } = await pool.query<Record<string, string>>(`select
    (select count(*) from webhook_inbox where state = 'processed') as processed,
    (select count(*) from invoices where status = 'paid') as invoices,
    (select count(*) from ledger_entries) as entries,
    (select count(*) from outbox) as messages`);
  for (const [name, count] of Object.entries(rows[0] ?? {})) expectCount(name, Number(count), expected);
}
