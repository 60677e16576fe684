import { poolerSettings } from '../support/pgbouncer.ts';
import { type StartedProcess, startProcess } from '../support/start-process.ts';

/** The real worker as a process of its own, quick to poll, once it looks for work. */
export async function startWorkerProcess(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedProcess> {
  const started = startProcess({
    script: 'apps/worker/src/main.ts',
    env: {
      DATABASE_URL: databaseUrl,
      ADMIN_PORT: '0',
      WORKER_POLL_MIN_MS: '5',
      WORKER_POLL_MAX_MS: '50',
      ...poolerSettings,
      ...env,
    },
  });
  await started.waitForLine('"worker_started"');
  return started;
}
