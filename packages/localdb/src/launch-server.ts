import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CodedError, type Logger } from '@mailroom/kernel';
import type { Binaries } from './binaries.ts';
import type { DataAccess } from './data-access.ts';
import { freePort } from './free-port.ts';
import { type GuardedServer, startGuarded } from './guard.ts';
import type { HomeLayout } from './home-layout.ts';
import { findPostmaster, folderMark } from './postmaster.ts';
import type { RunningProcess } from './running-process.ts';
import type { ServerUser } from './server-user.ts';
import { waitUntil } from './wait-until.ts';

export interface Launch {
  readonly layout: HomeLayout;
  readonly binaries: Binaries;
  readonly user: ServerUser | null;
  readonly access: DataAccess;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Logger;
}

export interface LaunchedServer extends GuardedServer {
  readonly port: number;
  readonly process: RunningProcess;
}

/**
 * Starts the server and waits until it accepts connections. Tries again when it ends at once: its port may have been taken
 * meanwhile, and after a crash of the last one its processes may need a moment to go. Throws `localdb_start_failed` with the
 * end of the server's log.
 */
export async function launchServer(launch: Launch): Promise<LaunchedServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = await launchOnce(launch);
    if (server !== null) return server;
    if (attempt === maxAttempts) throw startFailed(launch.layout);
    launch.log.warn('localdb_start_retried', { attempt });
    await delay(200 * attempt);
  }
}

// 200 ms, 400 ms, ... : three seconds in all before a person is told.
const maxAttempts = 6;
// Recovery after a crash reads the log written since the last checkpoint, at most some gigabytes.
const readyDeadlineMs = 120_000;

async function launchOnce(launch: Launch): Promise<LaunchedServer | null> {
  const port = await freePort();
  const logDescriptor = openSync(launch.layout.serverLog, 'a', 0o600);
  const server = await startGuarded({
    command: command(launch, port),
    user: launch.user,
    access: launch.access,
    logDescriptor,
  }).finally(() => closeSync(logDescriptor));

  let ended = false;
  void server.guardEnded.finally(() => {
    ended = true;
  });
  let launched: LaunchedServer | null = null;
  const settled = await waitUntil(() => {
    const found = findPostmaster(launch.layout);
    if (found.outcome === 'running' && found.ready && found.process.pid === server.pid) {
      launched = { ...server, port, process: found.process };
    }
    return ended || launched !== null;
  }, readyDeadlineMs);
  if (settled) return launched;
  server.letGo();
  throw startFailed(launch.layout);
}

function command({ binaries, access, layout, settings }: Launch, port: number): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return [binaries.postgres, '-D', access.serverPath, ...flags, '-c', folderMark(layout.data)];
}

function startFailed(layout: HomeLayout): CodedError {
  const end = readFileSync(layout.serverLog, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
  return new CodedError(
    'localdb_start_failed',
    `the database server does not start. The end of ${layout.serverLog}:\n${end}`,
  );
}
