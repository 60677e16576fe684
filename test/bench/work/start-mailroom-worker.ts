import { loadConfig } from '@mailroom/config';
import { openDatabase } from '@mailroom/db';
import type { Handler } from '@mailroom/domain';
import { listenForHints } from '@mailroom/inbox';
import { createLogger, createMetrics } from '@mailroom/observability';
import { createObserver } from '../../../apps/worker/src/observe.ts';
import { settingsFromConfig } from '../../../apps/worker/src/settings-from-config.ts';
import { startWorker, type Worker, type WorkerObserver } from '../../../apps/worker/src/worker.ts';

export interface MailroomWorkerOptions {
  readonly url: string;
  /** Settings that differ from the defaults, by the names that users know. */
  readonly env: Readonly<Record<string, string>>;
  readonly handlers: readonly Handler[];
  readonly finished: WorkerObserver['finished'];
}

export interface MailroomWorker extends Worker {
  close(): Promise<void>;
}

/** The worker as apps/worker/src/main.ts wires it, metrics included, with the handlers of the bench; logs what is wrong only. */
export function startMailroomWorker({ url, env, handlers, finished }: MailroomWorkerOptions): MailroomWorker {
  const config = loadConfig('worker', { env: { DATABASE_URL: url, ...env }, cwd: process.cwd(), providers: [] });
  const settings = settingsFromConfig(config, process.pid);
  const observer = createObserver(createMetrics({ handlers }));
  const connection = { url, connectTimeoutMs: 10_000, onIdleError: () => undefined };
  const work = openDatabase({
    ...connection,
    prepare: config.database.prepare,
    applicationName: 'mailroom-worker',
    maxConnections: settings.slots,
    queryTimeoutMs: settings.limits.statementTimeoutMs + 5_000,
  });
  const control = openDatabase({
    ...connection,
    applicationName: 'mailroom-worker-control',
    maxConnections: 2,
    queryTimeoutMs: settings.leaseMs / 3,
  });
  const worker = startWorker({
    ...settings,
    work,
    control,
    handlers,
    log: createLogger({ level: 'silent', name: 'worker', secrets: [] }),
    observe: {
      claimed: (rows) => observer.claimed(rows),
      finished: (event, outcome, durationMs) => {
        observer.finished(event, outcome, durationMs);
        finished(event, outcome, durationMs);
      },
    },
  });
  const hints = config.worker.listen
    ? listenForHints({ url, onHint: () => worker.hint(), onProblem: () => undefined })
    : undefined;
  return {
    ...worker,
    close: async () => {
      await hints?.close();
      await worker.drain();
      await Promise.all([work.close(), control.close()]);
    },
  };
}
