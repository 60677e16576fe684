import type { TestProject } from 'vitest/node';
import { startPgbouncer } from './pgbouncer.ts';
import { startTestServer } from './test-server.ts';

/**
 * One server for the whole run; the test files get a database of their own from it. With TEST_PGBOUNCER=1 they reach it through
 * PgBouncer in transaction mode: docs/operations.md says what does not work so.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...server } = await startTestServer();
  if (process.env['TEST_PGBOUNCER'] !== '1') {
    project.provide('testServer', server);
    return stop;
  }
  const pooler = await startPgbouncer(server.adminUrl, { serverConnections: 20, everyDatabase: true });
  project.provide('testServer', { ...server, pooledUrl: pooler.url });
  return async () => {
    await pooler.stop();
    await stop();
  };
}
