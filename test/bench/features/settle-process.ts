import { createHash } from 'node:crypto';
import { type ClaimedEvent, createClaimer, type Settlement } from '@mailroom/inbox';
import { settleRow } from '../../../packages/inbox/src/sql/settle.ts';
import { serveTask } from '../bench-process.ts';
import { openBenchDatabase } from '../open-bench-database.ts';
import type { SettleJob, SettleResult } from './settle-job.ts';

serveTask<SettleResult>((job: SettleJob) => {
  const database = openBenchDatabase(job.url, 'bench-settle', 10);
  return Promise.resolve({
    run: async (warm) => {
      const claimer = createClaimer(database, { worker: 'bench', leaseMs: 600_000 });
      const claimed: ClaimedEvent[] = [];
      while (claimed.length < job.count)
        claimed.push(...(await claimer.claim(Math.min(1_000, job.count - claimed.length))));
      warm();
      const startedAt = performance.now();
      let next = 0;
      const settler = async () => {
        for (let event = claimed[next++]; event; event = claimed[next++]) {
          if (!(await settleRow(database, event, failed(event)))) throw new Error(`${event.eventId} was lost`);
        }
      };
      await Promise.all(Array.from({ length: 10 }, settler));
      return { seconds: (performance.now() - startedAt) / 1000 };
    },
    close: () => database.close(),
  });

  function failed({ eventId }: ClaimedEvent): Settlement {
    const group = createHash('sha256')
      .update(job.groups === 'one' ? 'all' : eventId)
      .digest('hex')
      .slice(0, 16);
    return {
      state: 'exhausted',
      reason: 'attempts used up: handler',
      refund: 'none',
      delayMs: 0,
      suspect: false,
      failure: {
        worker: 'bench',
        release: 'bench',
        durationMs: 5,
        class: 'handler',
        sqlstate: null,
        message: 'no such order',
        stack: `Error: no such order\n${'    at handle (file:///srv/handlers/invoice.paid.ts:10:11)\n'.repeat(8)}`,
        // The statement writes no group where there is none.
        group: job.groups === 'none' ? (null as unknown as string) : group,
      },
    };
  }
});
