import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/*
 * npm run fuzz -- --minutes 30
 *
 * Runs every property test again and again, each time with another seed and ten times the usual runs, until the time is over
 * or one fails. A failure names the seed that repeats it.
 */
const usage = 'npm run fuzz -- --minutes 30 [--runs 2000]\n';
const repository = fileURLToPath(new URL('../../', import.meta.url));
const { minutes, runs } = readOptions();
const files = globSync('{packages,apps}/*/test/*.test.ts', { cwd: repository })
  .filter((file) => readFileSync(`${repository}${file}`, 'utf8').includes("from './property.ts'"))
  .toSorted();
if (files.length === 0) throw new Error('no file uses property.ts: nothing would be tested');

const endsAt = Date.now() + minutes * 60_000;
let rounds = 0;
do {
  const seed = randomInt(2 ** 31);
  rounds += 1;
  process.stdout.write(`round ${rounds}: FC_SEED=${seed} FC_RUNS=${runs}, ${files.length} files\n`);
  const code = await runTests({ FC_SEED: String(seed), FC_RUNS: String(runs) });
  if (code !== 0) {
    process.stdout.write(`failed; again: FC_SEED=${seed} FC_RUNS=${runs} npx vitest run ${files.join(' ')}\n`);
    process.exitCode = 1;
    break;
  }
} while (Date.now() < endsAt);
if (process.exitCode !== 1) process.stdout.write(`${rounds} rounds, nothing found\n`);

function readOptions(): { readonly minutes: number; readonly runs: number } {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, runs: { type: 'string' } } });
  const [minutesGiven, runsGiven] = [Number(values.minutes ?? 10), Number(values.runs ?? 2000)];
  if (minutesGiven > 0 && Number.isInteger(runsGiven) && runsGiven > 0)
    return { minutes: minutesGiven, runs: runsGiven };
  process.stderr.write(usage);
  process.exit(2);
}

function runTests(env: Readonly<Record<string, string>>): Promise<number | null> {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--testTimeout=900000', ...files],
    { cwd: repository, env: { ...process.env, ...env }, stdio: 'inherit' },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}
