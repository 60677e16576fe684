import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { titlePattern } from '../support/title-pattern.ts';
import type { TestReport } from './judge.ts';
import type { CatchingTest } from './mutation.ts';

/** Runs just these tests in a copy of the repository and answers with vitest's report, whatever its exit code. */
export async function runNamedTests(
  root: string,
  databaseUrl: string,
  tests: readonly CatchingTest[],
): Promise<TestReport> {
  const report = join(root, 'mutation-report.json');
  await rm(report, { force: true });
  const files = [...new Set(tests.map(({ file }) => file))];
  const pattern = tests.map(({ title }) => titlePattern(title)).join('|');
  const args = ['run', ...files, '--testNamePattern', pattern, '--reporter=json', `--outputFile=${report}`];
  const started = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await new Promise((resolve) => started.once('exit', resolve));
  try {
    return JSON.parse(await readFile(report, 'utf8')) as TestReport;
  } catch (cause) {
    throw new Error(`vitest left no report:\n${output}`, { cause });
  }
}
