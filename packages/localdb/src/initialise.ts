import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CodedError } from '@mailroom/kernel';
import type { Binaries } from './binaries.ts';
import { dataAccess } from './data-access.ts';
import type { HomeLayout } from './home-layout.ts';
import { localUser } from './password.ts';
import { serverEnvironment } from './server-environment.ts';
import { type ServerUser, spawnAs } from './server-user.ts';

/**
 * Makes the data folder where there is none. Throws `localdb_version_mismatch` for one of another major version and
 * `localdb_initdb_failed`.
 */
export async function initialise(
  layout: HomeLayout,
  binaries: Binaries,
  user: ServerUser | null,
  password: string,
): Promise<void> {
  removeUnfinished(layout);
  if (existsSync(layout.data)) {
    refuseOtherVersion(layout, binaries);
    return;
  }
  const unfinished = mkdtempSync(layout.unfinishedPrefix);
  if (user !== null) chownSync(unfinished, user.uid, user.gid);
  const access = dataAccess(unfinished, user);
  try {
    await runInitdb(access.serverPath, access.descriptor, binaries, user, password);
  } finally {
    access.close();
  }
  renameSync(unfinished, layout.data);
}

function removeUnfinished(layout: HomeLayout): void {
  const prefix = basename(layout.unfinishedPrefix);
  for (const name of readdirSync(layout.home)) {
    if (name.startsWith(prefix)) {
      // The initdb of a parent that was killed may still be writing there, so that a folder is not empty when it is removed.
      rmSync(join(layout.home, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }
}

function refuseOtherVersion(layout: HomeLayout, binaries: Binaries): void {
  const found = readFileSync(join(layout.data, 'PG_VERSION'), 'utf8').trim();
  if (found === binaries.major) return;
  throw new CodedError(
    'localdb_version_mismatch',
    `${layout.data} was made by PostgreSQL ${found}, but this is PostgreSQL ${binaries.major}. Dump it with the old release of Mailroom, or remove the folder to begin with an empty database.`,
  );
}

async function runInitdb(
  serverPath: string,
  descriptor: number | null,
  binaries: Binaries,
  user: ServerUser | null,
  password: string,
): Promise<void> {
  // Through a pipe of the shell's own: the password never stands in a file of another user, in the arguments or in the
  // environment, and initdb cannot open Node's standard input by name, for that is a socket.
  const child = spawn('/bin/sh', ['-c', 'cat | "$@"', 'sh', binaries.initdb, ...initdbArguments, '-D', serverPath], {
    ...spawnAs(user),
    cwd: '/',
    env: serverEnvironment,
    stdio: ['pipe', 'pipe', 'pipe', descriptor ?? 'ignore'],
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('initdb was started without its pipes');
  const exited: Promise<unknown[]> = once(child, 'close');
  stdin.on('error', () => undefined);
  stdin.end(`${password}\n`);
  const [output, errors, [status]] = await Promise.all([text(stdout), text(stderr), exited]);
  if (status !== 0) throw new CodedError('localdb_initdb_failed', `initdb failed: ${errors.trim() || output.trim()}`);
}

const initdbArguments = [
  `--username=${localUser}`,
  '--pwfile=/dev/stdin',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  // The same order and the same case rules on every machine, whatever its C library; bytewise order, Unicode case.
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];
