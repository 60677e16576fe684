import type { TestProject } from 'vitest/node';
import { startTestServer, type TestServer } from './test-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The test files get a database of their own from it; they read it with vitest's `inject`. */
    testServer: TestServer;
  }
}

/** One server for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...server } = await startTestServer();
  project.provide('testServer', server);
  return stop;
}
