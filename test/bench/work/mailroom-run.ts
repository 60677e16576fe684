import type { Task } from '../bench-process.ts';
import { mailroomHandler } from './mailroom-handlers.ts';
import { type MailroomWorker, startMailroomWorker } from './start-mailroom-worker.ts';
import { createFinishLine, type WorkJob, type WorkResult, type WorkWay } from './work-job.ts';

/** Mailroom's worker on the backlog. */
export function mailroomRun(job: WorkJob, way: Extract<WorkWay, { queue: 'mailroom' }>): Task<WorkResult> {
  let worker: MailroomWorker | undefined;
  return {
    run: async (warm) => {
      const line = createFinishLine(job, warm);
      let inVain = 0;
      worker = startMailroomWorker({
        url: job.url,
        env: way.env,
        handlers: [mailroomHandler(way.handlers, job.failing)],
        finished: (event, outcome) => {
          if (outcome === 'stale' || outcome === 'not_recorded') inVain += 1;
          else line.finished(event.eventId);
        },
      });
      return { ...(await line.reached), inVain };
    },
    close: async () => {
      await worker?.close();
    },
  };
}
