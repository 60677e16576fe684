import { listenForHints } from '@mailroom/inbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../apps/worker/src/worker.ts';
import { startCuttableProxy } from '../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox, inboxRow, store } from '../support/inbox-fixtures.ts';
import { workerOptions } from '../support/test-worker.ts';
import { waitFor } from '../support/wait-for.ts';

describe('hints', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it('wake a worker that would not have looked for an hour', async () => {
    const worker = startWorker(workerOptions(db.database, { pollMinMs: 3_600_000, pollMaxMs: 3_600_000 }));
    const hints = listenForHints({ url: db.url, onHint: () => worker.hint(), onProblem: () => {} });
    await waitFor('the listener to listen', async () => {
      const { rows } = await db.database.pool.query(
        "select from pg_stat_activity where query like 'listen %' and datname = current_database()",
      );
      return rows.length === 1;
    });
    await store(db.database, 'evt_1');
    await waitFor(
      'the event to be processed',
      async () => (await inboxRow(db.database, 'evt_1')).state === 'processed',
    );
    expect(await inboxRow(db.database, 'evt_1')).toMatchObject({ attempts: 1 });
    await hints.close();
    await worker.drain();
  });

  it('are not needed: a worker that cannot listen polls, and says once that it cannot', async () => {
    const proxy = await startCuttableProxy(db.url);
    await proxy.refuse();
    const problems: unknown[] = [];
    const hints = listenForHints({ url: proxy.url, onHint: () => {}, onProblem: (error) => problems.push(error) });
    const worker = startWorker(workerOptions(db.database));
    await store(db.database, 'evt_1');
    await waitFor(
      'the event to be processed',
      async () => (await inboxRow(db.database, 'evt_1')).state === 'processed',
    );
    await waitFor('the problem to be told', () => problems.length > 0);
    await hints.close();
    await worker.drain();
    await proxy.close();
    expect(problems).toHaveLength(1);
  });
});
