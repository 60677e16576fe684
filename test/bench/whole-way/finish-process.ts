import { handlers } from '@mailroom/domain';
import { numberOf } from '../bench-event.ts';
import { serveTask } from '../bench-process.ts';
import { type MailroomWorker, startMailroomWorker } from '../work/start-mailroom-worker.ts';
import { createFinishLine } from '../work/work-job.ts';
import type { FinishJob, FinishResult } from './finish-job.ts';

// The worker tells of an event after its COMMIT was answered, so nothing has to look for it in the database.
serveTask<FinishResult>((job: FinishJob) => {
  const finishedAt = new Float64Array(job.count);
  let worker: MailroomWorker | undefined;
  return Promise.resolve({
    run: async (warm) => {
      const line = createFinishLine(job, warm);
      worker = startMailroomWorker({
        url: job.url,
        env: {},
        handlers,
        finished: ({ eventId }, outcome) => {
          if (outcome !== 'processed') line.failed(new Error(`${eventId} ended as ${outcome}`));
          const index = numberOf(eventId) - job.warm;
          if (index >= 0) finishedAt[index] = performance.timeOrigin + performance.now();
          line.finished(eventId);
        },
      });
      return { ...(await line.reached), finishedAt };
    },
    close: async () => {
      await worker?.close();
    },
  });
});
