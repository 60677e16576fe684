import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';
import { runJson, runMailroom } from './run-mailroom.ts';
import { inState, seedEvent } from './seed-event.ts';

test('migrate brings an empty database up to date, and a second time finds nothing to do', async () => {
  const db = await createEmptyDatabase();
  try {
    const first = await runJson<{ applied: string[] }>(['migrate'], db);
    expect(first.applied.length).toBeGreaterThanOrEqual(2);
    expect(first.applied[0]).toBe('0001_inbox');
    const second = await runMailroom(['migrate'], db);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toContain('is up to date');
    expect((await runMailroom(['status'], db)).code).toBe(0);
  } finally {
    await db.drop();
  }
});

test('migrate --partition-ledger splits the ledger, which status goes on counting', async () => {
  const db = await createTestDatabase();
  try {
    for (const eventId of ['evt_1', 'evt_2', 'evt_3'])
      await seedEvent(db.database, eventId, { row: inState.processed });
    expect(await runJson(['migrate', '--partition-ledger', '4'], db)).toMatchObject({ partitions: 4, copied: 3 });
    expect(await runJson(['status'], db)).toMatchObject({ finished: { events: 3, method: 'counted' } });
    const again = await runMailroom(['migrate', '--partition-ledger', '4'], db);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('partitioned already');
    expect((await runMailroom(['migrate', '--partition-ledger', '1'], db)).code).toBe(2);
  } finally {
    await db.drop();
  }
});

test('without DATABASE_URL the commands find the local database that runs under MAILROOM_HOME', async () => {
  const home = await mkdtemp(join(tmpdir(), 'mailroom-ops-'));
  const server = await startLocalDatabase({ home, log: silentLogger });
  try {
    const here = { url: null, env: { MAILROOM_HOME: home } };
    expect((await runMailroom(['migrate'], here)).code).toBe(0);
    const status = await runMailroom(['status'], here);
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain('Nothing needs a person.');
  } finally {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
});
