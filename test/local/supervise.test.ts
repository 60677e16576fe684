import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Supervised, supervise } from '../../apps/local/src/supervise.ts';
import { waitFor } from '../support/wait-for.ts';
import { isAlive } from './processes.ts';

let folder: string;
let lines: string[];
let notices: string[];
let started: Supervised[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-supervise-'));
  lines = [];
  notices = [];
  started = [];
});
afterEach(async () => {
  for (const each of started) each.kill();
  await Promise.all(started.map((each) => each.stop(1_000)));
  rmSync(folder, { recursive: true });
});

describe('supervise', () => {
  it('passes on every line, the last words before a crash too, and starts the program again', async () => {
    const program = run(`console.log('hello'); console.error('last words'); process.exitCode = 3;`);
    await waitFor('a second start', () => lines.filter((line) => line === 'hello').length >= 2);
    expect(lines.slice(0, 2).toSorted()).toEqual(['hello', 'last words']);
    expect(notices[0]).toMatch(/^test \(pid \d+\) ended with code 3; starting it again in 0.5 s$/);
    expect(program.restarts()).toBeGreaterThanOrEqual(1);
  });

  it('waits longer after each end in a row', async () => {
    run(`process.exit(1);`);
    await waitFor('three ends', () => notices.length >= 3);
    expect(notices.map((notice) => notice.replace(/.* in /, ''))).toEqual(['0.5 s', '1 s', '2 s']);
  });

  it('starts again what was killed', async () => {
    const program = run(stayAlive);
    const first = await pidOf(program);
    process.kill(first, 'SIGKILL');
    await waitFor('another process', () => program.condition().is === 'running' && pidNow(program) !== first);
    expect(notices[0]).toContain('was ended by SIGKILL');
  });

  it('stops a program with one SIGTERM and does not start it again', async () => {
    const program = run(`
      process.on('SIGTERM', () => { console.log('told to stop'); process.exit(0); });
      ${stayAlive}`);
    const pid = await pidOf(program);
    await program.stop(30_000);
    expect(isAlive(pid)).toBe(false);
    expect(lines).toEqual(['alive', 'told to stop']);
    expect(program.condition()).toEqual({ is: 'stopped' });
    expect(notices).toEqual([]);
  });

  it('kills a program that does not stop, with what it started, and says so', async () => {
    const program = run(`
      process.on('SIGTERM', () => {});
      const { pid } = (await import('node:child_process')).spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      console.log('child ' + pid);
      ${stayAlive}`);
    const pid = await pidOf(program);
    const child = Number(lines.find((line) => line.startsWith('child '))?.slice(6));
    await program.stop(200);
    expect(isAlive(pid)).toBe(false);
    await waitFor('the end of its child', () => !isAlive(child));
    expect(notices).toEqual(['test did not stop within 0.2 s; killing it']);
  });

  it('stops while it waits to start again, without starting again', async () => {
    const program = run(`process.exit(1);`);
    await waitFor('an end', () => program.condition().is === 'pausing');
    await program.stop(1_000);
    expect(program.condition()).toEqual({ is: 'stopped' });
    expect(program.restarts()).toBe(0);
  });

  it('leaves a terminal’s Ctrl-C to the supervisor: the program is in a process group of its own', async () => {
    const program = run(stayAlive);
    const pid = await pidOf(program);
    // Signal 0 only asks whether a process group of that name exists.
    expect(() => process.kill(-pid, 0)).not.toThrow();
  });
});

const stayAlive = `console.log('alive'); setInterval(() => {}, 1000);`;

function run(source: string): Supervised {
  const script = join(folder, 'main.ts');
  writeFileSync(script, source);
  const supervised = supervise(
    { name: 'test', script, env: process.env, adminPort: 0, where: '' },
    { onLine: (line) => lines.push(line), onNotice: (notice) => notices.push(notice) },
  );
  started.push(supervised);
  return supervised;
}

function pidNow(program: Supervised): number {
  const condition = program.condition();
  return condition.is === 'running' ? condition.pid : 0;
}

async function pidOf(program: Supervised): Promise<number> {
  await waitFor('the program to be up', () => lines.includes('alive'));
  return pidNow(program);
}
