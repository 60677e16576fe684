import { mkdirSync, renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CodedError, type Logger } from '@mailroom/kernel';
import { findBinaries } from './binaries.ts';
import { clearTheWay } from './clear-the-way.ts';
import { dataAccess } from './data-access.ts';
import { ensureDatabase } from './ensure-database.ts';
import { type HomeLayout, homeLayout } from './home-layout.ts';
import { lockHome, type ReleaseHome } from './home-lock.ts';
import { initialise } from './initialise.ts';
import { type LaunchedServer, launchServer } from './launch-server.ts';
import { ensurePassword, localUrl } from './password.ts';
import { runningProcess } from './running-process.ts';
import { serverUser } from './server-user.ts';
import { stopPostmaster } from './stop-postmaster.ts';

export interface LocalDatabaseOptions {
  /** MAILROOM_HOME. Made when it is not there. */
  readonly home: string;
  readonly log: Logger;
  /** Server settings (`max_connections`, ...) beside PostgreSQL's defaults. Durability is left as it is: fsync on. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface LocalDatabase {
  /** `postgres://` on 127.0.0.1, with the password, as the server's superuser. Another port at every start. */
  readonly url: string;
  /** The server's process. */
  readonly pid: number;
  /** Resolves when the server ended, by `stop` or by itself. It is not started again. */
  readonly ended: Promise<void>;
  /** Fast shutdown: cuts off clients, writes everything, waits for the server's end. May be called again. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs a real PostgreSQL 18 for one machine: data under `<home>/postgres`, kept between runs, on a free loopback port behind a
 * generated password. It stops when this process ends, however it ends, and does not keep this process alive. A server that a
 * crash left behind is stopped and its data recovered. As root it runs as the user `postgres` or `nobody`.
 *
 * Throws `localdb_already_running` (the message names the process), `localdb_home_unusable`, `localdb_unsupported_platform`,
 * `localdb_binaries_broken`, `localdb_start_failed` and others that begin with `localdb_`, each saying what to do.
 */
export async function startLocalDatabase(options: LocalDatabaseOptions): Promise<LocalDatabase> {
  const layout = homeLayout(options.home);
  const release = takeHome(layout);
  try {
    return await start(layout, options, release);
  } catch (error) {
    release();
    throw error;
  }
}

function takeHome(layout: HomeLayout): ReleaseHome {
  try {
    mkdirSync(layout.home, { recursive: true });
    return lockHome(layout.lock);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError(
      'localdb_home_unusable',
      `${layout.home} cannot be written. Set MAILROOM_HOME to a folder of your own.`,
      { cause: error },
    );
  }
}

async function start(
  layout: HomeLayout,
  { log, settings = {} }: LocalDatabaseOptions,
  release: ReleaseHome,
): Promise<LocalDatabase> {
  const user = serverUser(layout.data);
  const binaries = findBinaries(user);
  const password = ensurePassword(layout);
  await initialise(layout, binaries, user, password);
  await clearTheWay(layout, log);
  keepPreviousLog(layout);
  const access = dataAccess(layout.data, user);
  const server = await launchServer({ layout, binaries, user, access, settings, log }).finally(access.close);
  try {
    await ensureDatabase(localUrl(server.port, password, 'postgres'));
  } catch (error) {
    server.letGo();
    await stopPostmaster(server.process, log);
    throw error;
  }
  log.info('localdb_started', { pid: server.pid, port: server.port, data: layout.data });
  return handleOf(server, localUrl(server.port, password), log, release);
}

function handleOf(server: LaunchedServer, url: string, log: Logger, release: ReleaseHome): LocalDatabase {
  let stopping: Promise<void> | undefined;
  const watch = async () => {
    await serverEnded(server, log);
    release();
    if (stopping === undefined) log.error('localdb_ended_by_itself', { pid: server.pid });
  };
  const ended = watch();
  const stop = async () => {
    server.letGo();
    await stopPostmaster(server.process, log);
    await ended;
    log.info('localdb_stopped', { pid: server.pid });
  };
  return {
    url,
    pid: server.pid,
    ended,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function serverEnded(server: LaunchedServer, log: Logger): Promise<void> {
  await server.guardEnded;
  const alive = () => runningProcess(server.pid)?.startedAt === server.process.startedAt;
  if (alive()) log.warn('localdb_guard_lost', { pid: server.pid });
  while (alive()) await delay(200, undefined, { ref: false });
}

// One run's log beside the last one's: enough to see why a server crashed, and bounded.
function keepPreviousLog(layout: HomeLayout): void {
  try {
    renameSync(layout.serverLog, layout.previousServerLog);
  } catch {
    // The first run has none.
  }
}
