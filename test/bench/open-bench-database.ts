import { type Database, openDatabase } from '@mailroom/db';

/** A pool of the bench's own: it waits for its connections and for every answer, for what is measured may be slow. */
export function openBenchDatabase(url: string, applicationName: string, maxConnections: number): Database {
  return openDatabase({
    url,
    applicationName,
    maxConnections,
    connectTimeoutMs: 10_000,
    queryTimeoutMs: 0,
    onIdleError: () => undefined,
  });
}
