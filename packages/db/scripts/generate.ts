import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { migrate } from '../src/migrate.ts';
import { dumpSchema } from './dump-schema.ts';
import { firstDifference } from './first-difference.ts';
import { tableTypes } from './table-types.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

// Writes what follows from the migrations; with --check only compares, and exits 1 when something is stale.
const check = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, text] of await generated()) {
  const file = join(repository, path);
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found === text) continue;
  if (check) stale.push(`${path} is stale: ${firstDifference(found, text)}`);
  else await writeFile(file, text);
}
if (stale.length > 0) {
  process.stderr.write(`${stale.join('\n')}\nRun "npm run generate" and commit the result.\n`);
  process.exitCode = 1;
}

async function generated(): Promise<ReadonlyMap<string, string>> {
  const home = await mkdtemp(join(tmpdir(), 'mailroom-generate-'));
  try {
    const database = await startLocalDatabase({ home, log: silentLogger });
    try {
      await migrate({ url: database.url, deadlineMs: 30_000, log: silentLogger });
      return new Map([
        ['migrations/schema.sql', await dumpSchema(database.url)],
        ['packages/db/src/generated.ts', await tableTypes(database.url)],
      ]);
    } finally {
      await database.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
