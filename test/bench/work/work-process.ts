import { serveTask } from '../bench-process.ts';
import { graphileRun } from './graphile-run.ts';
import { mailroomRun } from './mailroom-run.ts';
import { bossRun } from './pg-boss-run.ts';
import type { WorkJob, WorkResult } from './work-job.ts';

serveTask<WorkResult>(async (job: WorkJob) => {
  const { way } = job;
  switch (way.queue) {
    case 'mailroom':
      return mailroomRun(job, way);
    case 'graphile-worker':
      return graphileRun(job, way);
    case 'pg-boss':
      return await bossRun(job, way);
  }
});
