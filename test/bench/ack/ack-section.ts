import { Pool } from 'pg';
import { benchEndpoint } from '../bench-event.ts';
import { type BenchServer, processCost, withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { RatioRule, Recorder } from '../figures.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import { type BenchRun, type Contender, inRounds, type Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { percentile } from '../statistics.ts';
import type { FloorJob } from './floor-process.ts';
import type { FloorKind } from './floor-receivers.ts';
import { emptyFloorTables, floorTables } from './floor-tables.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import { pgbenchVersion, runPgbench } from './pgbench.ts';
import { type LoadedServer, startIngest } from './start-ingest.ts';

const secret = 'whsec_bench0secret0bench0secret0bench0secret';
const sizes = [1, 10, 50, 200] as const;
const scenarioOf = (connections: number) => `${connections} ${connections === 1 ? 'connection' : 'connections'}`;
const fifty = scenarioOf(50);
const pgbench = [8, 32].map((clients) => `pgbench, ${clients} clients`);
const oneRow = [10, 20].map((connections) => `one row a request, pool of ${connections}`);
const noDatabase = 'same server, no database';

/** What is acknowledged over HTTP, against the same server over other ways to keep a delivery. */
export const ackSection: Section = {
  name: 'ack',
  title: 'Ack: signed Stripe deliveries over HTTP, answered after COMMIT; load generator on the same cores',
  measure,
  ratios: [
    ratio('50 connections: Mailroom to one row a request', oneRow, { atLeast: 2 }),
    ratio('50 connections: Mailroom to the same server without a database', noDatabase, { atLeast: 0.55 }),
    ratio('50 connections: Mailroom to multi-row INSERT into one table', 'multi-row INSERT'),
    ratio("50 connections: Mailroom to pgbench's best single-row inserts", pgbench, { atLeast: 0.9 }),
    {
      title: '50 connections: p99 to p50',
      of: { scenario: fifty, contender: 'Mailroom', metric: 'p99' },
      to: { scenario: fifty, contender: 'Mailroom', metric: 'p50' },
      goal: { atMost: 3 },
    },
  ],
  plots: [
    { kind: 'bars', scenario: fifty, metric: 'rate' },
    { kind: 'lines', scenarios: sizes.map(scenarioOf), metric: 'rate' },
    { kind: 'lines', scenarios: sizes.map(scenarioOf), metric: 'p99' },
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
    const url = await server.createDatabase('mailroom_ack');
    const queue = await createMailroomQueue(url);
    await queue.close();
    const pool = new Pool({ connectionString: url, max: 2 });
    await pool.query(floorTables);
    const bench = { server, run, record, url, pool };
    try {
      await inRounds(run, contendersOf(bench));
    } finally {
      await pool.end();
    }
  });
}

function contendersOf(bench: Bench): Contender[] {
  const floors: readonly (readonly [name: string, kind: FloorKind, connections: number])[] = [
    [noDatabase, 'no database', 1],
    ['one row a request, pool of 10', 'one row', 10],
    ['one row a request, pool of 20', 'one row', 20],
    ['one row a request, jsonb, pool of 20', 'one row, jsonb', 20],
    ['multi-row INSERT', 'multi-row', 3],
  ];
  const overHttp = sizes.flatMap((connections) => {
    if (bench.run.quick && connections !== 50) return [];
    const wanted = connections === 50 ? floors : floors.filter(([name]) => name === noDatabase || name === oneRow[1]);
    return [
      loaded(bench, 'Mailroom', connections, mailroomServer),
      ...wanted.map(([name, kind, pool]) => loaded(bench, name, connections, floorServer(kind, pool))),
    ];
  });
  const clients = pgbenchVersion() === null ? [] : bench.run.quick ? [8] : [8, 32];
  return [...overHttp, ...clients.map((count) => pgbenchContender(bench, count))];
}

type Start = (bench: Bench) => Promise<LoadedServer>;

function mailroomServer({ url, run }: Bench): Promise<LoadedServer> {
  return startIngest({ url, secret, profiles: run.profiles });
}

function floorServer(kind: FloorKind, connections: number): Start {
  return async ({ server, url, run }) => {
    const job: FloorJob = { url, secret, kind, connections };
    const floor = await startBenchProcess<null>(server, './ack/floor-process.ts', job, run.profiles);
    return { pid: floor.pid, port: (floor.info as { port: number }).port, end: floor.end };
  };
}

function loaded(bench: Bench, name: string, connections: number, start: Start): Contender {
  const { server, run, record, pool } = bench;
  const scenario = scenarioOf(connections);
  const count = run.quick ? 2_000 : ({ 1: 4_000, 10: 15_000, 50: 30_000, 200: 30_000 }[connections] ?? 0);
  const warm = run.quick ? 300 : 3_000;
  return {
    name: `${scenario}: ${name}`,
    measure: async () => {
      await pool.query(`${emptyFloorTables}, webhook_inbox, webhook_delivery`);
      await pool.query('checkpoint');
      const target = await start(bench);
      const job: LoadJob = {
        ports: [target.port],
        endpoints: [benchEndpoint],
        secret,
        connections,
        from: 0,
        warm,
        count,
        perSecond: null,
      };
      try {
        const load = await startBenchProcess<LoadResult>(server, './ack/load-process.ts', job);
        const before = await processCost(target.pid);
        const { result, server: cost } = await load.runToEnd();
        const after = await processCost(target.pid);
        record.add(scenario, name, {
          rate: count / result.seconds,
          p50: percentile(result.latencies, 0.5),
          p99: percentile(result.latencies, 0.99),
          p999: percentile(result.latencies, 0.999),
          // The warm-up's share is in it, hence divided by all.
          nodeCpu: ((after.cpuMs - before.cpuMs) * 1000) / (warm + count),
          postgresCpu: (cost.cpuMs * 1000) / count,
          wal: cost.walBytes / count,
          memory: after.peakMb,
        });
      } finally {
        await target.end();
      }
      await checkRows(pool, name === noDatabase ? 0 : warm + count);
    },
  };
}

function pgbenchContender({ run, record, url, pool }: Bench, clients: number): Contender {
  return {
    name: `pgbench, ${clients} clients`,
    measure: async () => {
      await pool.query(emptyFloorTables);
      await pool.query('checkpoint');
      const warmed = await runPgbench(url, { clients, seconds: 1 });
      const { perSecond, transactions } = await runPgbench(url, { clients, seconds: run.quick ? 2 : 5 });
      await checkRows(pool, warmed.transactions + transactions);
      record.add(fifty, `pgbench, ${clients} clients`, { rate: perSecond });
    },
  };
}

/** Every answered delivery is there once, with its bytes, wherever this contender keeps it. */
async function checkRows(pool: Pool, expected: number): Promise<void> {
  const { rows } = await pool.query<{ receipts: string; bodies: string }>(`select
    (select count(*) from webhook_inbox where state = 'pending') + (select count(*) from floor_receipt)
      + (select count(*) from floor_receipt_jsonb) as receipts,
    (select count(*) from webhook_delivery where octet_length(body) > 2400)
      + (select count(*) from floor_receipt where octet_length(body) > 2400) + (select count(*) from floor_receipt_jsonb) as bodies`);
  expectCount('receipts', Number(rows[0]?.receipts), expected);
  expectCount('bodies', Number(rows[0]?.bodies), expected);
}

function ratio(title: string, contender: string | readonly string[], goal?: RatioRule['goal']): RatioRule {
  return {
    title,
    of: { scenario: fifty, contender: 'Mailroom', metric: 'rate' },
    to: { scenario: fifty, contender, metric: 'rate' },
    ...(goal ? { goal } : {}),
  };
}
