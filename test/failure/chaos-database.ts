import { setTimeout as pause } from 'node:timers/promises';
import { silentLogger } from '@mailroom/kernel';
import { type LocalDatabase, startLocalDatabase } from '@mailroom/localdb';
import { Client, type QueryResultRow } from 'pg';

/** A PostgreSQL of the run's own that is started again whenever it ends, as a service manager does. */
export interface ChaosDatabase {
  /** Of the server that runs, or ran last; each start has another port. */
  url(): string;
  /** A session of the adversary's own, past the proxies. */
  connect(): Promise<Client>;
  /** One statement in a session of its own. */
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Ends the server, `fast` (SIGINT) or `immediate` (SIGQUIT), and resolves when its successor answers. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Resolves when a server answers. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

export interface ChaosDatabaseOptions {
  readonly home: string;
  /** Called at every start but the first. */
  readonly onMoved: (url: string) => void;
}

const settings = {
  max_connections: '200',
  // Small enough for the little disk; every megabyte more would only make recovery longer.
  max_wal_size: '256MB',
  // Deadlocks are wanted here, so they are looked for sooner than after a second.
  deadlock_timeout: '300ms',
};
const startAgainAfterMs = 200;

export async function startChaosDatabase({ home, onMoved }: ChaosDatabaseOptions): Promise<ChaosDatabase> {
  let server = await startLocalDatabase({ home, log: silentLogger, settings });
  const stopping = new AbortController();
  let answers = Promise.withResolvers<void>();
  answers.resolve();
  const kept = keep();
  return { url: () => server.url, connect, query, restart, up: () => answers.promise, stop };

  async function keep(): Promise<void> {
    for (;;) {
      await server.ended;
      if (stopping.signal.aborted) return;
      answers = Promise.withResolvers();
      const started = await startAgain();
      if (!started) return;
      server = started;
      onMoved(server.url);
      answers.resolve();
    }
  }

  /** Until it works: a disk that is full may be what keeps it from starting. */
  async function startAgain(): Promise<LocalDatabase | undefined> {
    while (!stopping.signal.aborted) {
      try {
        return await startLocalDatabase({ home, log: silentLogger, settings });
      } catch {
        await pause(startAgainAfterMs);
      }
    }
    return undefined;
  }

  async function connect(): Promise<Client> {
    const client = new Client({
      connectionString: server.url,
      application_name: 'chaos',
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    });
    // The server is restarted under it; whoever uses it hears of that from the next statement.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async function query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) {
    const client = await connect();
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async function restart(mode: 'fast' | 'immediate'): Promise<void> {
    const ending = server;
    if (mode === 'fast') await ending.stop();
    else process.kill(ending.pid, 'SIGQUIT');
    await ending.ended;
    // What runs after `ended` above has replaced the promise by the next turn.
    await new Promise(setImmediate);
    await answers.promise;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await server.stop();
    await kept;
  }
}
