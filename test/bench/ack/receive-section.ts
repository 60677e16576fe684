import { Client } from 'pg';
import { type BenchServer, withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { RatioRule, Recorder } from '../figures.ts';
import { createGraphileQueue } from '../queues/graphile-queue.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import { createBossQueue } from '../queues/pg-boss-queue.ts';
import { type BenchRun, type Contender, inRounds, type Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { percentile } from '../statistics.ts';
import { floorTables } from './floor-tables.ts';
import type { ReceiveJob, ReceiveResult, ReceiveWay } from './receive-job.ts';

const scenario = '64 callers';

interface ReceiveContender {
  readonly name: string;
  readonly way: ReceiveWay;
  readonly database: keyof typeof countTexts;
  /** The slow ones get fewer, or they would take up most of the hour. */
  readonly count: number;
}

const countTexts = {
  mailroom: 'select count(*) from webhook_inbox i join webhook_delivery d using (delivery_id)',
  floor: 'select (select count(*) from floor_receipt) + (select count(*) from floor_receipt_jsonb) as count',
  graphile: 'select count(*) from graphile_worker._private_jobs',
  boss: 'select count(*) from pgboss.job',
} as const;

const truncateTexts = {
  mailroom: 'truncate webhook_inbox, webhook_delivery, inbox_duplicates',
  floor: 'truncate floor_receipt, floor_receipt_jsonb',
  graphile: 'truncate graphile_worker._private_jobs',
  boss: 'truncate pgboss.job',
} as const;

const pools = [10, 20, 32].map((connections) => `one row a transaction, pool of ${connections}`);

const contenders: readonly ReceiveContender[] = [
  { name: 'Mailroom receive', way: { kind: 'mailroom' }, database: 'mailroom', count: 50_000 },
  ...[10, 20, 32].map(
    (connections, at): ReceiveContender => ({
      name: pools[at] ?? '',
      way: { kind: 'floor', floor: 'one row', connections },
      database: 'floor',
      count: 20_000,
    }),
  ),
  floor('one row a transaction, jsonb, pool of 20', 'one row, jsonb', 20, 20_000),
  floor('multi-row INSERT into one table', 'multi-row', 3, 50_000),
  {
    name: 'graphile-worker addJob',
    way: { kind: 'graphile-worker', connections: 20 },
    database: 'graphile',
    count: 5_000,
  },
  { name: 'pg-boss send', way: { kind: 'pg-boss', connections: 20 }, database: 'boss', count: 5_000 },
];

/** What is committed below HTTP, against what one would write without Mailroom. */
export const receiveSection: Section = {
  name: 'receive',
  title: 'Receive: below HTTP, 64 concurrent callers, each waits for its commit',
  measure,
  ratios: [
    ratio('Mailroom receive to one row a transaction at its best', pools, 3),
    ratio('Mailroom receive to one row a transaction, jsonb', 'one row a transaction, jsonb, pool of 20'),
    ratio('Mailroom receive to multi-row INSERT into one table', 'multi-row INSERT into one table'),
    ratio('Mailroom receive to graphile-worker addJob', 'graphile-worker addJob', 12),
    ratio('Mailroom receive to pg-boss send', 'pg-boss send', 12),
  ],
  plots: [{ kind: 'bars', scenario, metric: 'rate' }],
};

async function measure(run: BenchRun, record: Recorder): Promise<void> {
  await withServer(async (server) => {
    const urls = {
      mailroom: await server.createDatabase('mailroom_receive'),
      floor: await server.createDatabase('floor_receive'),
      graphile: await server.createDatabase('graphile_receive'),
      boss: await server.createDatabase('boss_receive'),
    };
    await (await createMailroomQueue(urls.mailroom)).close();
    await (await createGraphileQueue(urls.graphile)).close();
    await (await createBossQueue(urls.boss)).close();
    await query(urls.floor, floorTables);
    await inRounds(
      run,
      contenders.map((contender) => measured(contender, urls[contender.database], { server, run, record })),
    );
  });
}

function measured(
  { name, way, database, count: full }: ReceiveContender,
  url: string,
  { server, run, record }: { readonly server: BenchServer; readonly run: BenchRun; readonly record: Recorder },
): Contender {
  const count = run.quick ? Math.round(full / 20) : full;
  const warm = Math.round(count / 10);
  return {
    name,
    measure: async () => {
      await query(url, truncateTexts[database]);
      await query(url, 'checkpoint');
      const job: ReceiveJob = { url, way, callers: 64, warm, count };
      const receiver = await startBenchProcess<ReceiveResult>(server, './ack/receive-process.ts', job, run.profiles);
      const { result, usage, server: cost } = await receiver.runToEnd();
      expectCount(`rows of ${name}`, await query(url, countTexts[database]), warm + count);
      record.add(scenario, name, {
        rate: count / result.seconds,
        p50: percentile(result.latencies, 0.5),
        p99: percentile(result.latencies, 0.99),
        nodeCpu: (usage.cpuMs * 1000) / count,
        postgresCpu: (cost.cpuMs * 1000) / count,
        statements: usage.statements / count,
        wal: cost.walBytes / count,
      });
    },
  };
}

/** Runs one text on a connection of its own; answers the column `count` of its first row. */
async function query(url: string, text: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(text);
    return Number(rows?.[0]?.count);
  } finally {
    await client.end();
  }
}

function floor(
  name: string,
  kind: Extract<ReceiveWay, { kind: 'floor' }>['floor'],
  connections: number,
  count: number,
): ReceiveContender {
  return { name, way: { kind: 'floor', floor: kind, connections }, database: 'floor', count };
}

function ratio(title: string, contender: string | readonly string[], atLeast?: number): RatioRule {
  return {
    title,
    of: { scenario, contender: 'Mailroom receive', metric: 'rate' },
    to: { scenario, contender, metric: 'rate' },
    ...(atLeast === undefined ? {} : { goal: { atLeast } }),
  };
}
