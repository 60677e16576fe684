import { benchEvents, failingAmong } from '../bench-event.ts';
import { type BenchServer, withServer } from '../bench-server.ts';
import type { RatioRule, Recorder } from '../figures.ts';
import type { Plot } from '../plots/plot.ts';
import { createGraphileQueue } from '../queues/graphile-queue.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import { createBossQueue } from '../queues/pg-boss-queue.ts';
import type { Queue } from '../queues/queue.ts';
import { type BenchRun, type Contender, inRounds, type Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import type { WorkJob, WorkResult, WorkWay } from './work-job.ts';

const each = 'ordinary handlers';
const failing = '1 % failing';
const sets = 'sets of 200';

interface WorkContender {
  readonly scenario: string;
  readonly name: string;
  readonly way: WorkWay;
}

const graphile = [5, 10, 20, 40].map((concurrency) => `graphile-worker, concurrency ${concurrency}`);
const bossTransactional = [4, 10, 20].map((loops) => `pg-boss, transactional, ${loops} loops`);
const bossPerJob = [4, 10, 20].map((loops) => `pg-boss, one completion a fetch, ${loops} loops`);
const bossSets = [1, 2, 4].map((loops) => `pg-boss, set-based, ${loops} loops`);

const contenders: readonly WorkContender[] = [
  mailroom(each, 'Mailroom', 'each'),
  mailroom(each, 'Mailroom, own rows only', 'own-rows'),
  ...[5, 10, 20, 40].map((concurrency, at) => peer(each, graphile[at], graphileWay(concurrency))),
  ...[4, 10, 20].map((loops, at) => peer(each, bossPerJob[at], bossWay('per-job', loops, 50))),
  ...[4, 10, 20].map((loops, at) => peer(each, bossTransactional[at], bossWay('transactional', loops, 50))),
  mailroom(failing, 'Mailroom', 'each'),
  mailroom(failing, 'Mailroom, own rows only', 'own-rows'),
  peer(failing, graphile[1], graphileWay(10)),
  peer(failing, bossTransactional[1], bossWay('transactional', 10, 50)),
  mailroom(sets, 'Mailroom', 'set', { WORKER_BATCH_ROWS: '200', WORKER_MAX_HELD_ROWS: '2000' }),
  ...[1, 2, 4].map((loops, at) => peer(sets, bossSets[at], bossWay('set', loops, 200))),
  mailroom('empty handlers', 'Mailroom', 'empty'),
];

/** One worker process and a backlog of distinct events. */
export const workSection: Section = {
  name: 'work',
  title: 'Work: one process, a backlog of distinct events, three writes each',
  measure,
  ratios: [
    ratio('ordinary handlers: Mailroom to graphile-worker', side(each, 'Mailroom'), side(each, graphile), 2.5),
    ratio(
      'ordinary handlers: Mailroom to pg-boss, transactional',
      side(each, 'Mailroom'),
      side(each, bossTransactional),
      2,
    ),
    ratio(
      'ordinary handlers: Mailroom to pg-boss, one completion a fetch',
      side(each, 'Mailroom'),
      side(each, bossPerJob),
    ),
    ratio('own rows only: Mailroom to graphile-worker', side(each, 'Mailroom, own rows only'), side(each, graphile), 4),
    ratio(
      'own rows only: Mailroom to pg-boss, transactional',
      side(each, 'Mailroom, own rows only'),
      side(each, bossTransactional),
      3,
    ),
    ratio('1 % failing: Mailroom to Mailroom without', side(failing, 'Mailroom'), side(each, 'Mailroom'), 0.67),
    ratio(
      '1 % failing, own rows only: Mailroom to Mailroom without',
      side(failing, 'Mailroom, own rows only'),
      side(each, 'Mailroom, own rows only'),
      0.67,
    ),
    ratio('1 % failing: Mailroom to graphile-worker', side(failing, 'Mailroom'), side(failing, graphile)),
    ratio(
      '1 % failing: Mailroom to pg-boss, transactional',
      side(failing, 'Mailroom'),
      side(failing, bossTransactional),
    ),
    ratio('sets of 200: Mailroom to graphile-worker', side(sets, 'Mailroom'), side(each, graphile), 12),
    ratio('sets of 200: Mailroom to pg-boss, set-based', side(sets, 'Mailroom'), side(sets, bossSets), 2.2),
  ],
  plots: [each, failing, sets].map((scenario): Plot => ({ kind: 'bars', scenario, metric: 'rate' })),
};

async function measure(run: BenchRun, record: Recorder): Promise<void> {
  await withServer(async (server) => {
    const queues = {
      mailroom: await createMailroomQueue(await server.createDatabase('mailroom_work')),
      'graphile-worker': await createGraphileQueue(await server.createDatabase('graphile_work')),
      'pg-boss': await createBossQueue(await server.createDatabase('boss_work')),
    };
    const taken = run.quick ? contenders.filter(isQuick) : contenders;
    const given = { server, run, record };
    try {
      await inRounds(
        run,
        taken.map((contender) => measured(contender, queues[contender.way.queue], given)),
      );
    } finally {
      for (const queue of Object.values(queues)) await queue.close();
    }
  });
}

function measured(
  { scenario, name, way }: WorkContender,
  queue: Queue,
  { server, run, record }: { readonly server: BenchServer; readonly run: BenchRun; readonly record: Recorder },
): Contender {
  const count = run.quick ? 1_000 : 50_000;
  const warm = run.quick ? 200 : 5_000;
  const isFailingRun = scenario === failing;
  return {
    name: `${scenario}: ${name}`,
    measure: async () => {
      await queue.empty();
      await queue.fill(benchEvents(0, warm + count));
      const job: WorkJob = { url: queue.url, warm, count, failing: isFailingRun, way };
      const worker = await startBenchProcess<WorkResult>(server, './work/work-process.ts', job, run.profiles);
      const { result, usage, server: cost } = await worker.runToEnd();
      const failed = isFailingRun ? failingAmong(0, warm + count) : 0;
      const done = warm + count - failed;
      await queue.check({ done, failed, effects: way.queue === 'mailroom' && way.handlers === 'empty' ? 0 : done });
      record.add(scenario, name, {
        rate: count / result.seconds,
        nodeCpu: (usage.cpuMs * 1000) / count,
        postgresCpu: (cost.cpuMs * 1000) / count,
        statements: usage.statements / count,
        wal: cost.walBytes / count,
        memory: usage.peakMb,
      });
    },
  };
}

/** One of each kind; which setting is best is not asked then. */
function isQuick({ way }: WorkContender): boolean {
  if (way.queue === 'graphile-worker') return way.concurrency === 10;
  return way.queue === 'mailroom' || way.loops === 10 || way.mode === 'set';
}

function mailroom(
  scenario: string,
  name: string,
  handlers: Extract<WorkWay, { queue: 'mailroom' }>['handlers'],
  env = {},
): WorkContender {
  return { scenario, name, way: { queue: 'mailroom', handlers, env } };
}

function peer(scenario: string, name: string | undefined, way: WorkWay): WorkContender {
  return { scenario, name: name ?? way.queue, way };
}

function graphileWay(concurrency: number): WorkWay {
  return { queue: 'graphile-worker', concurrency, localQueue: 500 };
}

function bossWay(mode: Extract<WorkWay, { queue: 'pg-boss' }>['mode'], loops: number, batch: number): WorkWay {
  return { queue: 'pg-boss', mode, loops, batch };
}

function side(scenario: string, contender: string | readonly string[]): RatioRule['of'] {
  return { scenario, contender, metric: 'rate' };
}

function ratio(title: string, of: RatioRule['of'], to: RatioRule['to'], atLeast?: number): RatioRule {
  return { title, of, to, ...(atLeast === undefined ? {} : { goal: { atLeast } }) };
}
