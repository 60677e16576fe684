import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { silentLogger } from '@mailroom/kernel';
import { findLocalDatabase, type LocalDatabase, startLocalDatabase } from '@mailroom/localdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminQuery } from '../support/admin-query.ts';
import { newHome } from './local-database-process.ts';

describe('the local database', () => {
  let home: string;
  let running: LocalDatabase[];
  const start = async () => {
    const database = await startLocalDatabase({ home, log: silentLogger });
    running.push(database);
    return database;
  };
  beforeEach(async () => {
    home = await newHome();
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map(({ stop }) => stop()));
    await rm(dirname(home), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('is PostgreSQL 18 with its default durability, UTF-8 and bytewise order', async () => {
    const { url } = await start();
    const [row] = await adminQuery(
      url,
      `select current_setting('server_version_num')::integer / 10000 as major, current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as synchronous_commit, current_setting('full_page_writes') as full_page_writes,
              current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
              (select string_agg(x, '' order by x) from unnest(array['b', 'B', 'a', 'Z']) as x) as sorted, lower('É') as lowered`,
    );
    expect(row).toEqual({
      major: 18,
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      encoding: 'UTF8',
      zone: 'UTC',
      sorted: 'BZab',
      lowered: 'é',
    });
  });

  it('keeps its data and its password between runs', async () => {
    const first = await start();
    await adminQuery(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start();
    expect(await adminQuery(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  it('listens on loopback only and lets nobody in without the password', async () => {
    const { url } = await start();
    const [row] = await adminQuery(
      url,
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
              (select count(*)::integer from pg_hba_file_rules where auth_method <> 'scram-sha-256') as other_rules`,
    );
    expect(row).toEqual({ addresses: '127.0.0.1', sockets: '', other_rules: 0 });
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(adminQuery(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('keeps the password and the data from other users', async () => {
    const { url } = await start();
    const password = join(home, 'postgres.password');
    expect((await readFile(password, 'utf8')).trim()).toBe(new URL(url).password);
    expect((await stat(password)).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, 'postgres'))).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.getuid?.() === 0)('runs as another user when started as root (only as root)', async () => {
    await start();
    expect((await stat(join(home, 'postgres'))).uid).not.toBe(0);
    expect((await stat(join(home, 'postgres', 'postmaster.pid'))).uid).not.toBe(0);
  });

  it('starts where a parent folder lets only its owner in, and where it lets everybody in', async () => {
    await chmod(dirname(home), 0o700);
    const closed = await start();
    await adminQuery(closed.url, 'create table kept as select 1 as one');
    await closed.stop();
    await chmod(dirname(home), 0o755);
    const open = await start();
    expect(await adminQuery(open.url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('is found by others while it runs, and only then', async () => {
    expect(await findLocalDatabase(home)).toBeNull();
    const database = await start();
    expect(await findLocalDatabase(home)).toBe(database.url);
    await database.stop();
    expect(await findLocalDatabase(home)).toBeNull();
  });

  it('throws away a data folder that was never finished', async () => {
    const unfinished = join(home, 'postgres.unfinished-abcdef');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
    const { url } = await start();
    expect(await adminQuery(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(home)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('refuses data of another major version and says so', async () => {
    const { stop } = await start();
    await stop();
    await writeFile(join(home, 'postgres', 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toMatchObject({ code: 'localdb_version_mismatch' });
  });

  it('refuses to guess a password that is gone', async () => {
    const { stop } = await start();
    await stop();
    await rm(join(home, 'postgres.password'));
    await expect(start()).rejects.toMatchObject({ code: 'localdb_password_missing' });
  });

  it('says why the server does not start, with the end of its log', async () => {
    const settings = { shared_buffers: 'nonsense' };
    await expect(startLocalDatabase({ home, log: silentLogger, settings })).rejects.toMatchObject({
      code: 'localdb_start_failed',
      message: expect.stringContaining('shared_buffers'),
    });
    // The failed start has let go of the home.
    expect(await adminQuery((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
