import { openDatabase } from '@mailroom/db';
import { prune } from '@mailroom/inbox';
import { serveTask } from '../bench-process.ts';
import type { PruneJob, PruneResult } from './prune-job.ts';

// As the worker's pruner does it, with the default retention: paced, on one connection.
serveTask<PruneResult>(({ url }: PruneJob) => {
  const database = openDatabase({
    url,
    applicationName: 'mailroom-worker-prune',
    maxConnections: 1,
    connectTimeoutMs: 10_000,
    queryTimeoutMs: 60_000,
    onIdleError: () => undefined,
  });
  return Promise.resolve({
    run: async (warm) => {
      warm();
      const startedAt = performance.now();
      const pruned = await prune(database, {
        retention: {
          ledgerDays: 90,
          bodyDays: 30,
          failureDays: 90,
          actionDays: 365,
          rejectionDays: 7,
          outboxDays: 30,
          findingDays: 90,
        },
        redeliveryMsOf: () => null,
      });
      const rowsOf = (table: string) => pruned.find(({ rule }) => rule.table === table)?.rows ?? 0;
      return {
        seconds: (performance.now() - startedAt) / 1000,
        bodies: rowsOf('webhook_delivery'),
        events: rowsOf('webhook_inbox'),
      };
    },
    close: () => database.close(),
  });
});
