import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminQuery } from '../support/admin-query.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { startProcess } from '../support/start-process.ts';
import { waitFor } from '../support/wait-for.ts';

// "mailroom" in ASCII (packages/db/src/migration-lock.ts).
const migrationLockKey = Buffer.from('mailroom').readBigInt64BE().toString();

describe('migrate', () => {
  let db: TestDatabase;
  let directory: string;
  const run = (deadlineMs = 10_000) => migrate({ url: db.url, directory, deadlineMs, log: silentLogger });
  const write = (name: string, sql: string) => writeFile(join(directory, name), sql);
  const tables = async () =>
    (
      await adminQuery(
        db.url,
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
      )
    ).map(({ relname }) => relname);

  beforeEach(async () => {
    db = await createEmptyDatabase();
    directory = await mkdtemp(join(tmpdir(), 'mailroom-migrations-'));
    await write('0001_first.sql', 'create table first (id integer);\ncreate table also_first (id integer);');
    await write('0002_second.sql', 'create table second (id integer);');
  });
  afterEach(async () => {
    await db.drop();
    await rm(directory, { recursive: true, force: true });
  });

  it('lets ten processes start at once and applies each migration once', async () => {
    const processes = Array.from({ length: 10 }, () =>
      startProcess({ script: 'test/db/run-migrate.ts', args: [db.url] }),
    );
    const exits = await Promise.all(processes.map(({ exited }) => exited));
    expect(exits).toEqual(exits.map(() => ({ code: 0, signal: null })));

    const names = (await readdir(new URL('../../migrations', import.meta.url)))
      .filter((name) => /^\d/.test(name))
      .map((name) => name.replace('.sql', ''))
      .toSorted();
    expect(names.length).toBeGreaterThan(1);
    const applied = processes.flatMap(({ stdout }) => JSON.parse(stdout.join('')) as string[]);
    expect(applied.toSorted()).toEqual(names);
    const recorded = await adminQuery(db.url, 'select name from mailroom_migrations order by name collate "C"');
    expect(recorded.map(({ name }) => name)).toEqual(names);
  });

  it('applies what is new and nothing twice', async () => {
    expect(await run()).toEqual({ applied: ['0001_first', '0002_second'] });
    expect(await run()).toEqual({ applied: [] });
    await write('0003_third.sql', 'create table third (id integer);');
    expect(await run()).toEqual({ applied: ['0003_third'] });
    expect(await tables()).toEqual(['also_first', 'first', 'mailroom_migrations', 'second', 'third']);
  });

  it('refuses an applied migration that was changed, and applies nothing', async () => {
    await run();
    await write('0001_first.sql', 'create table first (id bigint);');
    await write('0003_third.sql', 'create table third (id integer);');
    await expect(run()).rejects.toMatchObject({
      code: 'migration_changed',
      message: expect.stringContaining('0001_first'),
    });
    expect(await tables()).not.toContain('third');
  });

  it('refuses an applied migration that was renamed', async () => {
    await run();
    await rename(join(directory, '0002_second.sql'), join(directory, '0002_zweite.sql'));
    await expect(run()).rejects.toMatchObject({
      code: 'migration_missing',
      message: expect.stringContaining('0002_second'),
    });
  });

  it('leaves a database alone that is ahead of the folder, for an old release still starts', async () => {
    await run();
    await rm(join(directory, '0002_second.sql'));
    expect(await run()).toEqual({ applied: [] });
  });

  it('leaves nothing of a migration that fails, keeps those before it, and goes on once it is mended', async () => {
    await write('0002_second.sql', 'create table half (id integer);\ncreate table first (id integer);');
    await expect(run()).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('0002_second.sql, statement at line 2'),
      cause: { code: '42P07' },
    });
    expect(await tables()).toEqual(['also_first', 'first', 'mailroom_migrations']);
    await write('0002_second.sql', 'create table second (id integer);');
    expect(await run()).toEqual({ applied: ['0002_second'] });
  });

  it('leaves nothing half-done and no lock when a migrator is killed in the middle', async () => {
    await write('0002_second.sql', 'create table second (id integer);\nselect pg_sleep(600);');
    const killed = startProcess({ script: 'test/db/run-migrate.ts', args: [db.url, directory] });
    await waitFor('the migrator to be in the middle of the second migration', async () => {
      const busy = await adminQuery(
        db.url,
        "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
      );
      return busy.length === 1;
    });
    killed.kill('SIGKILL');
    await killed.exited;
    // The server does not notice a dead client while it sleeps; a person would end that session.
    await adminQuery(
      db.url,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
    );
    await write('0002_second.sql', 'create table second (id integer);');
    expect(await run()).toEqual({ applied: ['0002_second'] });
  });

  it('gives up waiting for another migrator at its deadline', async () => {
    const other = await holdMigrationLock();
    await expect(run(300)).rejects.toMatchObject({ code: 'migration_lock_timeout' });
    await other.release();
    expect(await run()).toEqual({ applied: ['0001_first', '0002_second'] });
  });

  it('does not hold up CREATE INDEX CONCURRENTLY while it waits for another migrator', async () => {
    await run();
    const other = await holdMigrationLock();
    const waiting = run();
    await waitFor('the second migrator to poll', async () => {
      const polls = await adminQuery(
        db.url,
        "select 1 from pg_stat_activity where datname = current_database() and application_name = 'mailroom-migrate'",
      );
      return polls.length === 1;
    });
    await other.query('create index concurrently first_id on first (id)');
    await other.release();
    expect(await waiting).toEqual({ applied: [] });
  });

  // What a migrator at work looks like from outside: whoever starts one now has to wait.
  async function holdMigrationLock() {
    const client = await db.database.pool.connect();
    await client.query('select pg_advisory_lock($1)', [migrationLockKey]);
    return {
      query: (statement: string) => client.query(statement),
      release: async () => {
        await client.query('select pg_advisory_unlock_all()');
        client.release();
      },
    };
  }
});
