import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { copyRepository } from '../support/repository-copy.ts';
import { whyNotCaught, whyNotPassing } from './judge.ts';
import { type Mutation, mutate } from './mutation.ts';
import { mutations } from './mutations.ts';
import { runNamedTests } from './run-named-tests.ts';

const help = `Breaks the product on purpose, one line at a time, in a copy of the repository, and expects the tests to notice.

  npm run mutations [-- --only WORDS]

  --only WORDS   only mutations whose name has these words

First the copy as it is must pass the tests that are named; then, with each mutation of test/mutation/mutations.ts, they must fail
in an assertion. The database is a PostgreSQL of its own in a temporary folder.

Exit codes: 0 every mutation was caught; 1 one was not; 2 a mistake in the call.`;

process.exitCode = await main();

async function main(): Promise<number> {
  const chosen = choose();
  if (chosen === null) {
    process.stderr.write(`${help}\n`);
    return 2;
  }
  const home = await mkdtemp(join(tmpdir(), 'mailroom-mutations-'));
  const server = await startLocalDatabase({
    home,
    log: silentLogger,
    settings: { max_connections: '200', fsync: 'off' },
  });
  const copy = await copyRepository();
  try {
    return await catchAll(chosen, copy.root, server.url);
  } finally {
    await copy.remove();
    await server.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function catchAll(chosen: readonly Mutation[], root: string, databaseUrl: string): Promise<number> {
  const tests = chosen.flatMap(({ caughtBy }) => caughtBy);
  const broken = whyNotPassing(await runNamedTests(root, databaseUrl, tests), tests);
  if (broken.length > 0) {
    print(`the tests must pass before anything is mutated:\n  ${broken.join('\n  ')}`);
    return 1;
  }
  print('unchanged: every named test passes');
  let uncaught = 0;
  for (const mutation of chosen) {
    const problems = await tryOne(mutation, root, databaseUrl);
    if (problems.length > 0) uncaught += 1;
    print(
      problems.length === 0 ? `caught: ${mutation.name}` : `NOT CAUGHT: ${mutation.name}\n  ${problems.join('\n  ')}`,
    );
  }
  print(`${chosen.length - uncaught} of ${chosen.length} mutations caught`);
  return uncaught === 0 ? 0 : 1;
}

async function tryOne(mutation: Mutation, root: string, databaseUrl: string): Promise<readonly string[]> {
  const path = join(root, mutation.file);
  const source = await readFile(path, 'utf8');
  await writeFile(path, mutate(source, mutation));
  try {
    return whyNotCaught(await runNamedTests(root, databaseUrl, mutation.caughtBy), mutation.caughtBy);
  } finally {
    await writeFile(path, source);
  }
}

function choose(): readonly Mutation[] | null {
  try {
    const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
    const chosen = mutations.filter(({ name }) => name.includes(only ?? ''));
    return chosen.length === 0 ? null : chosen;
  } catch {
    return null;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
