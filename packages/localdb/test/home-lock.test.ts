import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockHome } from '../src/home-lock.ts';
import { runningProcess } from '../src/running-process.ts';

describe('the lock of a home', () => {
  let path: string;
  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'mailroom-lock-')), 'postgres.lock');
  });
  afterEach(() => rm(dirname(path), { recursive: true, force: true }));

  const refusal = { code: 'localdb_already_running', message: expect.stringContaining(String(process.pid)) };

  it('is held once, freed, and can then be taken again', () => {
    const release = lockHome(path);
    expect(() => lockHome(path)).toThrow(expect.objectContaining(refusal));
    release();
    lockHome(path)();
  });

  it('leaves nothing beside itself, and nothing at all when freed', async () => {
    const release = lockHome(path);
    expect(() => lockHome(path)).toThrow(expect.objectContaining(refusal));
    expect(await readdir(dirname(path))).toEqual(['postgres.lock']);
    release();
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it('is taken over from a process that is dead', async () => {
    const short = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(short, 'exit');
    await writeFile(path, JSON.stringify({ pid: short.pid, startedAt: 'once' }));
    expect(() => lockHome(path)()).not.toThrow();
  });

  it('is taken over when its pid now belongs to another process', async () => {
    await writeFile(path, JSON.stringify({ pid: process.pid, startedAt: 'before the last boot' }));
    expect(() => lockHome(path)()).not.toThrow();
  });

  it.each(['', 'nonsense', '{}', '{"pid":"1"}', 'null'])('is taken over when it holds %o', async (content) => {
    await writeFile(path, content);
    expect(() => lockHome(path)()).not.toThrow();
  });

  it('is not freed by somebody who lost it', async () => {
    const release = lockHome(path);
    const mine = runningProcess(process.pid);
    await writeFile(path, JSON.stringify({ pid: process.pid, startedAt: mine?.startedAt, other: true }));
    release();
    expect(() => lockHome(path)).toThrow(expect.objectContaining(refusal));
  });
});
