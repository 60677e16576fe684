import { spawn, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminQuery } from './admin-query.ts';
import { freePort, serverUser } from './server-process.ts';
import { waitFor } from './wait-for.ts';

/** Whether PgBouncer is installed here: the Debian package `pgbouncer`. */
export function hasPgbouncer(): boolean {
  return spawnSync('pgbouncer', ['--version']).status === 0;
}

/** What an operator sets behind such a pooler, for processes of tests that run through one. */
export const poolerSettings: Readonly<Record<string, string>> =
  process.env['TEST_PGBOUNCER'] === '1' ? { DATABASE_PREPARED_STATEMENTS: 'off', WORKER_LISTEN: 'off' } : {};

/**
 * PgBouncer in transaction mode before a database, or every database of its server, with so many server connections each:
 * transactions of one client run on one after the other of them and one of them serves several clients. Answers with the URL to
 * use instead.
 */
export async function startPgbouncer(
  databaseUrl: string,
  {
    serverConnections,
    everyDatabase = false,
  }: { readonly serverConnections: number; readonly everyDatabase?: boolean },
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const target = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'mailroom-pgbouncer-'));
  const port = await freePort();
  const name = target.pathname.slice(1);
  // PgBouncer takes no empty value, and a server that trusts its clients needs no password.
  const setting = (key: string, value: string) =>
    value === '' ? '' : ` ${key}='${decodeURIComponent(value).replaceAll("'", "''")}'`;
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]
${everyDatabase ? '*' : name} = host=${target.hostname} port=${target.port || '5432'}${setting('dbname', everyDatabase ? '' : name)}${setting('user', target.username)}${setting('password', target.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 2000
server_round_robin = 1
`,
  );
  const user = serverUser();
  if (user) for (const path of [folder, settings]) await chown(path, user.uid, user.gid);
  const bouncer = spawn('pgbouncer', ['-q', settings], { ...user, cwd: folder, stdio: 'ignore' });
  const exited = new Promise((resolve) => bouncer.once('exit', resolve));
  const url = `postgres://${target.username}@127.0.0.1:${port}/${name}`;
  const stop = async () => {
    bouncer.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor('PgBouncer to answer', () => adminQuery(url, 'select 1'));
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
