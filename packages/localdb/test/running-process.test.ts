import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runningProcess } from '../src/running-process.ts';

describe('a running process', () => {
  it('is the same one however often it is looked at, and tells its command', () => {
    const self = runningProcess(process.pid);
    expect(self).toMatchObject({ pid: process.pid, startedAt: expect.stringMatching(/./) });
    expect(runningProcess(process.pid)).toEqual(self);
    expect(self?.program).toMatch(/^node/);
    expect(self?.commandLine).toContain('vitest');
  });

  it('is known although its name holds spaces and brackets', async () => {
    const child = spawn(process.execPath, ['-e', 'process.title = "a) S (b"; console.log(); process.stdin.resume()']);
    await once(child.stdout, 'data');
    const found = runningProcess(Number(child.pid));
    expect(found?.startedAt).toMatch(/\d$/);
    expect(found?.startedAt).not.toBe(runningProcess(process.pid)?.startedAt);
    child.stdin.end();
    await once(child, 'exit');
  });

  it('is nothing once it ended', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(runningProcess(Number(child.pid))).toBeNull();
  });
});
