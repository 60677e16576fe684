import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { silentLogger } from '@mailroom/kernel';
import { findLocalDatabase, type LocalDatabase, startLocalDatabase } from '@mailroom/localdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminQuery } from '../support/admin-query.ts';
import { startProcess } from '../support/start-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { lives, newHome, startLocalDatabaseProcess, waitUntilGone } from './local-database-process.ts';

describe('the local database after a crash', () => {
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

  it('leaves no server behind when its parent is killed, and the next start has what was committed', async () => {
    const { parent, serverPid, url } = await startLocalDatabaseProcess(home);
    await adminQuery(url, 'create table kept as select 42 as answer');
    parent.kill('SIGKILL');
    await parent.exited;
    await waitUntilGone('the server', serverPid);
    expect(await findLocalDatabase(home)).toBeNull();
    expect(await keptRow((await start()).url)).toEqual([{ answer: 42 }]);
  });

  it('starts at once after its parent was killed, while the old server may still be stopping', async () => {
    const { parent, serverPid, url } = await startLocalDatabaseProcess(home);
    await adminQuery(url, 'create table kept as select 42 as answer');
    parent.kill('SIGKILL');
    await parent.exited;
    const next = await start();
    expect(next.pid).not.toBe(serverPid);
    expect(await keptRow(next.url)).toEqual([{ answer: 42 }]);
  });

  it('begins anew when its parent was killed while the data folder was being made', async () => {
    const killed = startProcess({ script: 'test/localdb/run-local-database.ts', args: [home] });
    await waitFor('initdb to be at work', async () =>
      (await readdir(home, { recursive: true })).some((name) => /unfinished-\w+\/PG_VERSION$/.test(name)),
    );
    killed.kill('SIGKILL');
    await killed.exited;
    expect(await adminQuery((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('neither keeps a program alive that forgot to stop it nor outlives it', async () => {
    const forgetful = startProcess({ script: 'test/localdb/run-local-database.ts', args: [home, 'forget'] });
    const [, serverPid] = (await forgetful.waitForLine(/^ready /)).split(' ');
    expect(await forgetful.exited).toEqual({ code: 0, signal: null });
    await waitUntilGone('the server', Number(serverPid));
  });

  it('says that the server ended when it was killed, and recovers at the next start', async () => {
    const first = await start();
    await adminQuery(first.url, 'create table kept as select 42 as answer');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    expect(await findLocalDatabase(home)).toBeNull();
    expect(await keptRow((await start()).url)).toEqual([{ answer: 42 }]);
  });

  it('is not stopped by a pid file of a process that is dead', async () => {
    await stopLeavingPidFile(await deadPid());
    expect(await keptRow((await start()).url)).toEqual([{ answer: 42 }]);
  });

  it('is not stopped by a pid file whose pid now belongs to another program', async () => {
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await stopLeavingPidFile(Number(other.pid));
    expect(await keptRow((await start()).url)).toEqual([{ answer: 42 }]);
    expect(lives(Number(other.pid))).toBe(true);
    other.stdin.end();
    await once(other, 'exit');
  });

  it.runIf(process.platform === 'linux')(
    'takes over a server whose parent and guard were both killed (finding the guard needs /proc)',
    async () => {
      const { parent, serverPid, url } = await startLocalDatabaseProcess(home);
      await adminQuery(url, 'create table kept as select 42 as answer');
      const guard = parentOf(serverPid);
      const guards = [guard, ...childrenOf(guard).filter((pid) => pid !== serverPid)];
      expect(guards).toHaveLength(2);
      for (const pid of guards) process.kill(pid, 'SIGKILL');
      parent.kill('SIGKILL');
      await parent.exited;
      await Promise.all(guards.map((pid) => waitUntilGone('the guard', pid)));
      expect(lives(serverPid)).toBe(true);

      const next = await start();
      expect(lives(serverPid)).toBe(false);
      expect(await keptRow(next.url)).toEqual([{ answer: 42 }]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'still stops with its parent when only the guard was killed (finding the guard needs /proc)',
    async () => {
      const { parent, serverPid } = await startLocalDatabaseProcess(home);
      process.kill(parentOf(serverPid), 'SIGKILL');
      parent.kill('SIGKILL');
      await parent.exited;
      await waitUntilGone('the server', serverPid);
      expect(await findLocalDatabase(home)).toBeNull();
    },
  );

  async function stopLeavingPidFile(pid: number): Promise<void> {
    const first = await start();
    await adminQuery(first.url, 'create table kept as select 42 as answer');
    const pidFile = join(home, 'postgres', 'postmaster.pid');
    const content = await readFile(pidFile, 'utf8');
    await first.stop();
    await writeFile(pidFile, content.replace(/^\d+/, String(pid)));
  }
});

function keptRow(url: string): Promise<readonly unknown[]> {
  return adminQuery(url, 'select answer from kept');
}

async function deadPid(): Promise<number> {
  const short = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(short, 'exit');
  return Number(short.pid);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
