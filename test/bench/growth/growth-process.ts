import { type ClaimedEvent, createClaimer, processBatch } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { serveTask } from '../bench-process.ts';
import { openBenchDatabase } from '../open-bench-database.ts';
import { percentile } from '../statistics.ts';
import { mailroomHandler } from '../work/mailroom-handlers.ts';
import { startMailroomWorker } from '../work/start-mailroom-worker.ts';
import { createFinishLine } from '../work/work-job.ts';
import type { GrowthJob, GrowthResult } from './growth-job.ts';

const batchRows = 50;

serveTask<GrowthResult>((job: GrowthJob) => {
  const database = openBenchDatabase(job.url, 'bench-growth', 2);
  return Promise.resolve({
    run: async (warm) => {
      warm();
      const { claimMs, completeMs } = await timeBatches();
      return { claimMs, completeMs, perSecond: job.count === 0 ? null : await runWorker() };
    },
    close: () => database.close(),
  });

  async function timeBatches(): Promise<{ claimMs: number; completeMs: number }> {
    const claimer = createClaimer(database, { worker: 'bench', leaseMs: 60_000 });
    const claims: number[] = [];
    const completions: number[] = [];
    for (let turn = 0; turn < job.claims; turn += 1) {
      const startedAt = performance.now();
      const claimed = await claimer.claim(batchRows);
      const claimedAt = performance.now();
      await processEmpty(claimed);
      // The first tenth warms caches and plans up.
      if (turn < job.claims / 10) continue;
      claims.push(claimedAt - startedAt);
      completions.push(performance.now() - claimedAt);
    }
    return { claimMs: percentile(claims, 0.5), completeMs: percentile(completions, 0.5) };
  }

  async function processEmpty(claimed: readonly ClaimedEvent[]): Promise<void> {
    const call = { claimed, handle: () => Promise.resolve(claimed.map(() => done)) };
    const results = await processBatch([call], {
      work: database,
      control: database,
      worker: 'bench',
      release: null,
      batchMs: 60_000,
      limits: { statementTimeoutMs: 10_000, idleInTransactionTimeoutMs: 10_000, transactionTimeoutMs: 20_000 },
      retry: { backoff: { baseMs: 1_000, capMs: 1_000 }, maxInfraRetries: 1 },
    });
    const wrong = results.find(({ result }) => result.outcome !== 'processed');
    if (wrong || results.length !== batchRows)
      throw new Error(`a batch of ${results.length} ended as ${wrong?.result.outcome}`);
  }

  async function runWorker(): Promise<number> {
    const line = createFinishLine(job, () => undefined);
    const worker = startMailroomWorker({
      url: job.url,
      env: {},
      handlers: [mailroomHandler('empty', false)],
      finished: (event) => line.finished(event.eventId),
    });
    const { seconds } = await line.reached;
    await worker.close();
    return job.count / seconds;
  }
});
