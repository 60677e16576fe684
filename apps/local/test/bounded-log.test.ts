import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBoundedLog } from '../src/bounded-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const noProblem = (problem: string): never => {
  throw new Error(problem);
};

it('takes at most about twice its bound of disk, and keeps the newest lines', () => {
  const path = join(folder, 'logs', 'worker.log');
  const log = openBoundedLog(path, 1000, noProblem);
  for (let number = 0; number < 1000; number += 1) log.write(`line ${number}`);
  log.close();
  const files = readdirSync(join(folder, 'logs'));
  expect(files.toSorted()).toEqual(['worker.log', 'worker.log.1']);
  for (const file of files) expect(statSync(join(folder, 'logs', file)).size).toBeLessThan(1100);
  expect(readFileSync(path, 'utf8')).toMatch(/line 999\n$/);
});

it('goes on with the file of an earlier run', () => {
  const path = join(folder, 'worker.log');
  writeFileSync(path, 'before\n');
  const log = openBoundedLog(path, 1000, noProblem);
  log.write('after');
  log.close();
  log.write('too late, and no reason to fail');
  expect(readFileSync(path, 'utf8')).toBe('before\nafter\n');
});

it('tells once when it cannot write, and never throws', () => {
  const problems: string[] = [];
  const path = join(folder, 'sub', 'worker.log');
  const log = openBoundedLog(path, 10, (problem) => problems.push(problem));
  log.write('fills the file');
  rmSync(join(folder, 'sub'), { recursive: true });
  log.write('the folder is gone');
  log.write('and still is');
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(path);
});
