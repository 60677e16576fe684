import { inject } from 'vitest';
import { type ScratchDatabase, scratchDatabase } from './scratch-database.ts';
import type { TestServer } from './test-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The test files get a database of their own from it; `globalSetup` provides it. */
    testServer: TestServer;
  }
}

/** A migrated, empty database of one test file. */
export type TestDatabase = ScratchDatabase;

/**
 * Clones the migrated template. Call it in `beforeAll`, `drop` in `afterAll`, and empty the tables that a test filled in
 * `beforeEach`: a clone costs far more than a DELETE.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('testServer');
  return await scratchDatabase(server, server.template);
}

/** An empty database without any table, for tests of the migrator. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return await scratchDatabase(inject('testServer'), 'template0');
}
