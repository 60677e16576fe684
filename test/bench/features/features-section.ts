import { Pool } from 'pg';
import { benchEvents } from '../bench-event.ts';
import { withServer } from '../bench-server.ts';
import { expectCount } from '../business/tables.ts';
import type { MetricName } from '../metrics.ts';
import { createMailroomQueue } from '../queues/mailroom-queue.ts';
import { type Contender, inRounds, type Section } from '../section.ts';
import { startBenchProcess } from '../start-bench-process.ts';
import type { WorkJob, WorkResult } from '../work/work-job.ts';
import type { SettleJob, SettleResult } from './settle-job.ts';

const working = 'ordinary handlers, one worker process';
const shipped = 'as shipped';
const unprepared = 'DATABASE_PREPARE=off';
const failing = 'failures recorded, ten at once';
const grouped = { one: 'groups, all failures alike', many: 'groups, no two alike', none: 'no groups' } as const;

/** What a feature costs: the same work with it and without. */
export const featuresSection: Section = {
  name: 'features',
  title: 'Cost of features: with and without',
  measure: (run, record) =>
    withServer(async (server) => {
      const queue = await createMailroomQueue(await server.createDatabase('mailroom_features'));
      const pool = new Pool({ connectionString: queue.url, max: 1 });
      const count = run.quick ? 500 : 20_000;

      const workContender = (name: string, env: Readonly<Record<string, string>>): Contender => ({
        name,
        measure: async () => {
          const warm = count / 10;
          await queue.empty();
          await queue.fill(benchEvents(0, warm + count));
          const job: WorkJob = {
            url: queue.url,
            warm,
            count,
            failing: false,
            way: { queue: 'mailroom', handlers: 'each', env },
          };
          const worker = await startBenchProcess<WorkResult>(server, './work/work-process.ts', job, run.profiles);
          const { result, usage, server: cost } = await worker.runToEnd();
          await queue.check({ done: warm + count, failed: 0, effects: warm + count });
          record.add(working, name, {
            rate: count / result.seconds,
            nodeCpu: (usage.cpuMs * 1000) / count,
            postgresCpu: (cost.cpuMs * 1000) / count,
          });
        },
      });

      const settleContender = (groups: keyof typeof grouped): Contender => ({
        name: grouped[groups],
        measure: async () => {
          await queue.empty();
          await pool.query('truncate failure_groups');
          await queue.fill(benchEvents(0, count));
          const job: SettleJob = { url: queue.url, count, groups };
          const settler = await startBenchProcess<SettleResult>(
            server,
            './features/settle-process.ts',
            job,
            run.profiles,
          );
          const { result, server: cost } = await settler.runToEnd();
          const { rows } = await pool.query<{ failures: number; groups: number }>(
            'select (select count(*)::int from inbox_failures) as failures, (select count(*)::int from failure_groups) as groups',
          );
          expectCount('failures', rows[0]?.failures ?? 0, count);
          expectCount('groups', rows[0]?.groups ?? -1, { one: 1, many: count, none: 0 }[groups]);
          record.add(failing, grouped[groups], {
            rate: count / result.seconds,
            postgresCpu: (cost.cpuMs * 1000) / count,
            wal: cost.walBytes / count,
          });
        },
      });

      try {
        await inRounds(run, [
          workContender(shipped, {}),
          workContender(unprepared, { DATABASE_PREPARE: 'off' }),
          settleContender('one'),
          settleContender('many'),
          settleContender('none'),
        ]);
      } finally {
        await pool.end();
        await queue.close();
      }
    }),
  ratios: [
    ratio('ordinary handlers: statements prepared by name, to not', working, shipped, unprepared),
    ratio('failures recorded: with groups, all alike, to without', failing, grouped.one, grouped.none),
    ratio('failures recorded: with groups, no two alike, to without', failing, grouped.many, grouped.none),
  ],
  plots: [],
};

function ratio(title: string, scenario: string, of: string, to: string, metric: MetricName = 'rate') {
  return { title, of: { scenario, contender: of, metric }, to: { scenario, contender: to, metric } };
}
