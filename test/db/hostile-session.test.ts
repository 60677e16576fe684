import { inTransaction, listen, openDatabase } from '@mailroom/db';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startHostileServer } from './hostile-session.ts';

let server: Awaited<ReturnType<typeof startHostileServer>>;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

// An error event that nobody listens to would end the process; vitest fails the run for it.
it('a session that is ended in the packet that opens it fails the transaction, not the process', async () => {
  const database = openDatabase({
    url: server.url,
    applicationName: 'mailroom-test',
    maxConnections: 1,
    connectTimeoutMs: 5_000,
    queryTimeoutMs: 5_000,
    onIdleError: () => undefined,
  });
  for (let n = 0; n < 3; n += 1) {
    await expect(inTransaction(database, (tx) => sql`select 1`.execute(tx))).rejects.toThrow(/terminat|not queryable/);
  }
  await database.close();
});

it('a listener whose session is ended in the packet that opens it reports that and lives on', async () => {
  const problems: unknown[] = [];
  const onProblem = (error: unknown) => problems.push(error);
  const listener = listen({ url: server.url, channel: 'nothing', onNotification: () => undefined, onProblem });
  await waitFor('the listener to report the end', () => problems.length > 0);
  await listener.close();
  expect(problems).toHaveLength(1);
});
