import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileCache } from '../support/compile-cache.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runMailroom } from './run-mailroom.ts';
import { inState, seedEvent } from './seed-event.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db.drop());

async function commandNames(): Promise<readonly string[]> {
  const { stdout } = await runMailroom(['--help'], { url: null });
  const names = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThanOrEqual(7);
  return names;
}

test('every command explains itself with examples and exit codes, takes --json and stands in the runbook', {
  timeout: 120_000,
}, async () => {
  const runbook = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  for (const name of await commandNames()) {
    const { code, stdout, stderr } = await runMailroom([name, '--help'], { url: null });
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
    expect(stdout).toContain(`npm run mailroom -- ${name}`);
    for (const words of ['Examples:', 'Exit codes:', '--json', '  0  ', '  3  ']) expect(stdout, name).toContain(words);
    expect(runbook).toContain(`\`${name}`);
  }
});

test('the exit codes in --help are those of the runbook', async () => {
  const runbook = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const { stdout } = await runMailroom(['show', '--help'], { url: null });
  const codes = [...stdout.slice(stdout.indexOf('Exit codes:')).matchAll(/^ {2}(\d) {2}/gm)].map(([, code]) => code);
  expect(codes).toEqual(['0', '1', '2', '3', '4', '5']);
  for (const code of codes) expect(runbook).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
});

test('an unknown command, no command and an unknown option are usage errors on standard error', async () => {
  for (const args of [['stauts'], [], ['status', '--jsn'], ['show'], ['show', 'a/b/c', 'd/e/f']]) {
    const answer = await runMailroom(args, { url: null });
    expect({ args, code: answer.code, stdout: answer.stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(answer.stderr).not.toBe('');
  }
  expect((await runMailroom(['stauts'], { url: null })).stderr).toContain('Did you mean status?');
});

test('a reader that goes away early is no error, and the exit code still tells how it went', async () => {
  for (let at = 0; at < 400; at += 1) {
    await seedEvent(db.database, `evt_${at}`, {
      row: { ...inState.rejected, last_error: 'x'.repeat(1_900) },
      body: null,
    });
  }
  const child = spawn(process.execPath, ['apps/ops/src/main.ts', 'list', '--limit', '1000'], {
    cwd: new URL('../../', import.meta.url),
    env: { PATH: process.env['PATH'], ...compileCache, DATABASE_URL: db.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => void child.once('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
