import { serveTask } from '../bench-process.ts';
import { mailroomHandler } from '../work/mailroom-handlers.ts';
import { type MailroomWorker, startMailroomWorker } from '../work/start-mailroom-worker.ts';
import { type FairJob, quietEndpoint } from './fair-job.ts';

serveTask<null>((job: FairJob) => {
  let worker: MailroomWorker | undefined;
  return Promise.resolve({
    run: async (warm) => {
      const all = Promise.withResolvers<null>();
      let finished = 0;
      worker = startMailroomWorker({
        url: job.url,
        env: {},
        handlers: [mailroomHandler('each', false)],
        finished: ({ endpoint }) => {
          if (endpoint === quietEndpoint) finished += 1;
          if (finished === job.count) all.resolve(null);
        },
      });
      warm();
      return await all.promise;
    },
    close: async () => {
      await worker?.close();
    },
  });
});
