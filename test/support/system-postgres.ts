import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adminQuery } from './admin-query.ts';
import { freePort, serverUser } from './server-process.ts';
import { waitFor } from './wait-for.ts';

/** The versions before 18 that the system's packages may have put here; the first that is there. Null: none of them. */
export function systemPostgres(): { readonly version: number; readonly bin: string } | null {
  const found = [17, 16, 15]
    .map((version) => ({ version, bin: `/usr/lib/postgresql/${version}/bin` }))
    .find(({ bin }) => existsSync(join(bin, 'postgres')));
  return found ?? null;
}

/** Starts such a server in a temporary folder, for as long as a test file needs it. */
export async function startSystemPostgres(bin: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mailroom-postgres-'));
  const user = serverUser();
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C', '--encoding=UTF8'];
  await promisify(execFile)(join(bin, 'initdb'), initdb, { ...user, cwd: folder });
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => server.once('exit', resolve));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    server.kill('SIGQUIT');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(`PostgreSQL of ${bin} to answer`, () => adminQuery(url, 'select 1'), { deadlineMs: 30_000 });
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
