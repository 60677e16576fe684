import { type Config, loadConfig } from '@mailroom/config';
import { migrate } from '@mailroom/db';
import { CodedError } from '@mailroom/kernel';
import { providers } from '@mailroom/providers';
import { urlHost } from './ask-admin.ts';
import type { Display } from './display.ts';
import { openLogging } from './logging.ts';
import { choosePorts } from './ports.ts';
import { programsFor, workerCount } from './programs.ts';
import { type ProvidedDatabase, provideDatabase } from './provide-database.ts';
import { showStatus } from './show-status.ts';
import { startPrograms } from './start-programs.ts';
import type { Supervised } from './supervise.ts';
import { createTeardown, type Teardown } from './teardown.ts';
import { commandsToTry } from './try-next.ts';

export interface RunOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly cwd: string;
  readonly display: Display;
  /** Aborted when a person or the system wants the end. */
  readonly stopping: AbortSignal;
  /** Hears of every program that is started, so that it can be killed at once. */
  readonly onStart: (supervised: Supervised) => void;
}

/** Runs everything until `stopping`, then stops everything in order. Throws what kept it from running. */
export async function run(options: RunOptions): Promise<void> {
  const teardown = createTeardown();
  try {
    await start(options, teardown);
  } catch (error) {
    // Being told to stop is no failure, whatever it interrupted.
    if (!options.stopping.aborted) throw error;
  } finally {
    await teardown.run();
  }
}

async function start({ env, cwd, display, stopping, onStart }: RunOptions, teardown: Teardown): Promise<void> {
  const { say } = display;
  const config = loadConfig('local', { env, cwd, providers });
  const { home, host } = config;
  const ports = await choosePorts(host, config, workerCount);
  const logging = openLogging(config, say, teardown);
  const { log, notices } = logging;
  say(`Mailroom: data in ${home}, logs in ${logging.folder}`);

  say(config.databaseUrl === null ? 'starting PostgreSQL ...' : 'using the database that DATABASE_URL names');
  const database = await provideDatabase(config, log);
  teardown.add(() => stopDatabase(database, say));
  stopping.throwIfAborted();
  const { applied } = await migrate({ url: database.url, deadlineMs: migrateDeadlineMs, log });
  if (applied.length > 0) say(`applied migrations: ${applied.join(', ')}`);
  stopping.throwIfAborted();

  say('starting the ingestor and the workers ...');
  const generatedSecret = generatedSecretOf(config);
  const programs = startPrograms(programsFor({ env, home, host, databaseUrl: database.url, generatedSecret, ports }), {
    teardown,
    logging,
    onStart,
    say,
    stopWithinMs: config.shutdownDeadlineMs + graceMs,
  });
  const stopStatus = showStatus({
    url: `http://${urlHost(host)}:${ports.deliveries}`,
    host,
    ingestAdminPort: ports.ingestAdmin,
    database,
    programs,
    notices,
    logFolder: logging.folder,
    tryNext: commandsToTry(config, ports.deliveries, env),
    display,
  });
  teardown.add(stopStatus);
  await untilTheEnd(stopping, database);
}

// Only `npm start` makes a secret; the ingestor, which is the same program in production, wants to be given one.
function generatedSecretOf({ endpoints }: Config): string | null {
  return endpoints.flatMap(({ secrets }) => secrets).find(({ label }) => label === 'generated')?.value ?? null;
}

async function stopDatabase(database: ProvidedDatabase, say: (line: string) => void): Promise<void> {
  if (database.pid !== null) say('stopping PostgreSQL ...');
  await database.stop();
}

/** Resolves when `stopping` is aborted. Throws `database_ended` when there is nothing left to work on. */
async function untilTheEnd(stopping: AbortSignal, database: ProvidedDatabase): Promise<void> {
  const stopped = new Promise<'stopped'>((resolve) => {
    if (stopping.aborted) resolve('stopped');
    stopping.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  const how = await Promise.race([stopped, database.ended]);
  if (how === 'stopped') return;
  throw new CodedError(
    'database_ended',
    'PostgreSQL has ended by itself. Its log is postgres.log beside its data; npm start recovers it.',
  );
}

const migrateDeadlineMs = 30_000;
// A program keeps its own deadline; this is for the exit itself.
const graceMs = 5_000;
