import type { LoadResult } from '../ack/load-job.ts';
import { startIngest } from '../ack/start-ingest.ts';
import { benchEndpoint, benchEvents } from '../bench-event.ts';
import { type BenchServer, withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { RatioRule, Recorder } from '../figures.ts';
import { createMailroomQueue, type MailroomQueue } from '../queues/mailroom-queue.ts';
import { type BenchRun, type Contender, inRounds, type Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import { percentile } from '../statistics.ts';
import { fairnessContenders, fairnessRatio } from './fairness.ts';
import { type ManyJob, type ManyResult, speeds, typeOfSpeed } from './many-job.ts';

const secret = 'whsec_bench0secret0bench0secret0bench0secret';
const workers = [1, 2, 4, 8] as const;
const ingestors = [1, 2, 4] as const;
const workersName = (count: number) => `${count} worker ${count === 1 ? 'process' : 'processes'}`;
const ingestorsName = (count: number) => `${count} ${count === 1 ? 'ingestor' : 'ingestors'}`;
const manyEndpoints = '10,000 endpoints';
const mixed = '64 handlers of mixed speed';

/** That adding processes does not hurt, and that nobody claims in vain. */
export const manySection: Section = {
  name: 'many',
  title: 'Many: processes, endpoints and handlers on the same cores',
  measure,
  ratios: [
    ...workers
      .slice(1)
      .map((count) => ratio(`${workersName(count)} to one`, workersName(count), workersName(1), 'Mailroom')),
    ...ingestors
      .slice(1)
      .map((count) => ratio(`${ingestorsName(count)} to one`, ingestorsName(count), ingestorsName(1), 'Mailroom')),
    fairnessRatio,
    ratio(`${manyEndpoints} to one endpoint, one ingestor`, manyEndpoints, ingestorsName(1), 'Mailroom'),
  ],
  plots: [{ kind: 'lines', scenarios: workers.map(workersName), metric: 'rate' }],
};

interface Bench {
  readonly server: BenchServer;
  readonly run: BenchRun;
  readonly record: Recorder;
  readonly queue: MailroomQueue;
}

async function measure(run: BenchRun, record: Recorder): Promise<void> {
  await withServer(async (server) => {
    const queue = await createMailroomQueue(await server.createDatabase('mailroom_many'));
    const bench = { server, run, record, queue };
    const endpoints = Array.from({ length: run.quick ? 100 : 10_000 }, (_, at) => `endpoint-${at}`);
    await inRounds(run, [
      ...(run.quick ? [1, 4] : workers).map((count) => workersContender(bench, workersName(count), count, 'each')),
      workersContender(bench, mixed, 1, 'mixed'),
      ...(run.quick ? [2] : ingestors).map((count) =>
        ingestorsContender(bench, ingestorsName(count), count, [benchEndpoint]),
      ),
      ingestorsContender(bench, manyEndpoints, 1, endpoints),
      ...fairnessContenders(bench),
    ]);
  });
}

/** A backlog for all of them together. */
function workersContender(
  { server, run, record, queue }: Bench,
  scenario: string,
  processes: number,
  handlers: ManyJob['handlers'],
): Contender {
  const count = run.quick ? 1_000 : handlers === 'mixed' ? 10_000 : 40_000;
  return {
    name: scenario,
    measure: async () => {
      await queue.empty();
      await queue.fill(
        benchEvents(0, count),
        handlers === 'mixed' ? ({ number }) => typeOfSpeed(number % speeds) : undefined,
      );
      const job: ManyJob = { url: queue.url, handlers };
      const started = await Promise.all(
        Array.from({ length: processes }, () =>
          startBenchProcess<ManyResult>(server, './many/many-process.ts', job, run.profiles),
        ),
      );
      const startedAt = performance.now();
      const ended = await Promise.all(started.map((worker) => worker.runToEnd()));
      const lastAt = Math.max(...ended.map(({ result }) => result.lastFinishedAt));
      await queue.check({ done: count, failed: 0, effects: handlers === 'mixed' ? 0 : count });
      expectCount(
        'finished events',
        ended.reduce((sum, { result }) => sum + result.finished, 0),
        count,
      );
      record.add(scenario, 'Mailroom', {
        rate: count / ((lastAt - performance.timeOrigin - startedAt) / 1000),
        inVain: ended.reduce((sum, { result }) => sum + result.inVain, 0),
        nodeCpu: (ended.reduce((sum, { usage }) => sum + usage.cpuMs, 0) * 1000) / count,
      });
    },
  };
}

/** The same load for all of them together; endpoints take turns. */
function ingestorsContender(
  { server, run, record, queue }: Bench,
  scenario: string,
  processes: number,
  endpoints: readonly string[],
): Contender {
  const count = run.quick ? 1_000 : 20_000;
  const warm = run.quick ? 200 : 3_000;
  return {
    name: scenario,
    measure: async () => {
      await queue.empty();
      const started = await Promise.all(
        Array.from({ length: processes }, () =>
          startIngest({ url: queue.url, secret, endpoints, profiles: run.profiles }),
        ),
      );
      try {
        const load = await startBenchProcess<LoadResult>(server, './ack/load-process.ts', {
          ports: started.map(({ port }) => port),
          endpoints,
          secret,
          connections: 52,
          from: 0,
          warm,
          count,
          perSecond: null,
        });
        const { result } = await load.runToEnd();
        record.add(scenario, 'Mailroom', {
          rate: count / result.seconds,
          p50: percentile(result.latencies, 0.5),
          p99: percentile(result.latencies, 0.99),
        });
      } finally {
        await Promise.all(started.map((ingest) => ingest.end()));
      }
      await queue.checkReceipts(warm + count);
    },
  };
}

function ratio(title: string, of: string, to: string, contender: string): RatioRule {
  return { title, of: { scenario: of, contender, metric: 'rate' }, to: { scenario: to, contender, metric: 'rate' } };
}
