import { setTimeout as delay } from 'node:timers/promises';
import type { Handler } from '@mailroom/domain';
import { done } from '@mailroom/kernel';
import { Client } from 'pg';
import { benchProvider } from '../bench-event.ts';
import { serveTask } from '../bench-process.ts';
import { mailroomHandler } from '../work/mailroom-handlers.ts';
import { type MailroomWorker, startMailroomWorker } from '../work/start-mailroom-worker.ts';
import { type ManyJob, type ManyResult, speeds, typeOfSpeed } from './many-job.ts';

serveTask<ManyResult>(async (job: ManyJob) => {
  const looking = new Client({ connectionString: job.url });
  await looking.connect();
  let worker: MailroomWorker | undefined;
  let finished = 0;
  let inVain = 0;
  let lastFinishedAt = 0;
  return {
    run: async (warm) => {
      warm();
      worker = startMailroomWorker({
        url: job.url,
        env: {},
        handlers: job.handlers === 'each' ? [mailroomHandler('each', false)] : mixedSpeeds,
        finished: (_event, outcome) => {
          if (outcome !== 'processed') {
            inVain += 1;
            return;
          }
          finished += 1;
          lastFinishedAt = performance.timeOrigin + performance.now();
        },
      });
      // By the index of due rows, so looking costs next to nothing.
      while (await anyPending()) await delay(100);
      return { finished, lastFinishedAt, inVain };
    },
    close: async () => {
      await worker?.close();
      await looking.end();
    },
  };

  async function anyPending(): Promise<boolean> {
    const { rowCount } = await looking.query(`select from webhook_inbox where state = 'pending' limit 1`);
    return rowCount === 1;
  }
});

/** From nothing to 8 ms; a batch takes whatever is due, quick and slow alike. */
const mixedSpeeds = Array.from(
  { length: speeds },
  (_, speed): Handler => ({
    provider: benchProvider,
    eventType: typeOfSpeed(speed),
    handle: async () => {
      if (speed > 0) await delay(speed / 8);
      return done;
    },
  }),
);
