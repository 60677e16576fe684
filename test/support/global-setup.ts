import type { TestProject } from 'vitest/node';
import { startTestServer } from './test-server.ts';

/** One server for the whole run; the test files get a database of their own from it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...server } = await startTestServer();
  project.provide('testServer', server);
  return stop;
}
