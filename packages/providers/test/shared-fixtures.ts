import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// The fixtures lie beside the repository, not in it: some carry licences of their own.
const folder = new URL('../../../../shared/fixtures/', import.meta.url);

/** For `describe.skipIf`; the reason is printed here, once a file. */
export const fixturesAreAbsent = !existsSync(folder);
if (fixturesAreAbsent) process.stderr.write('skipped: tests over ../shared/fixtures, which is not there\n');

/** The bytes of one fixture. */
export function fixture(path: string): Buffer {
  return readFileSync(new URL(path, folder));
}

/** The files below a folder of fixtures, as paths that `fixture` takes; empty where the fixtures are absent. */
export function fixtureFiles(below: string): string[] {
  if (fixturesAreAbsent) return [];
  return readdirSync(new URL(`${below}/`, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(fileURLToPath(folder), join(entry.parentPath, entry.name)))
    .toSorted();
}
