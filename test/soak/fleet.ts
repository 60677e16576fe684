import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ProcessExit, type ServiceProcess, startService } from '../support/service-process.ts';
import type { Balancer } from './balancer.ts';

/** Two ingestors behind a balancer and four workers. */
export interface Fleet {
  readonly names: readonly string[];
  /** The process that runs under this name now; undefined while it is being replaced. */
  running(name: string): ServiceProcess | undefined;
  /** Ends the process with the signal and starts its successor. */
  restart(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** SIGTERM to all, and waits for their ends. */
  stop(): Promise<void>;
  /** Duplicates that ingestors said they could not write down, the database being too slow for them. */
  duplicatesNotCounted(): number;
  /** Processes that ended by themselves, or otherwise than they should. */
  problems(): readonly string[];
}

export interface FleetOptions {
  readonly home: string;
  readonly balancer: Balancer;
  readonly databaseUrl: string;
  readonly secret: string;
}

/** More than the shutdown deadline of the processes, after which they end themselves. */
const endDeadlineMs = 40_000;

export async function startFleet({ home, balancer, databaseUrl, secret }: FleetOptions): Promise<Fleet> {
  const current = new Map<string, ServiceProcess>();
  const ending = new Set<ServiceProcess>();
  const found: string[] = [];
  let notCounted = 0;
  const env = { MAILROOM_HOME: home, DATABASE_URL: databaseUrl, ADMIN_PORT: '0' };
  const kinds: Readonly<Record<string, { script: string; readyEvent: string; env: Readonly<Record<string, string>> }>> =
    {
      ingest: {
        script: 'apps/ingest/src/main.ts',
        readyEvent: 'ingest_listening',
        env: { ...env, PORT: '0', STRIPE_WEBHOOK_SECRET: secret },
      },
      worker: { script: 'apps/worker/src/main.ts', readyEvent: 'worker_started', env: { ...env, ...shortLeases } },
    };
  const names = ['ingest-1', 'worker-1', 'worker-2', 'ingest-2', 'worker-3', 'worker-4'];
  await Promise.all(names.map(start));
  return {
    names,
    running: (name) => current.get(name),
    restart,
    stop,
    duplicatesNotCounted: () => notCounted,
    problems: () => found,
  };

  async function start(name: string): Promise<void> {
    const kind = kinds[name.split('-')[0] ?? ''];
    if (!kind) throw new Error(`${name} is no kind of process`);
    const started = await startService({ ...kind, logFile: join(home, `${name}.log`), onLine });
    current.set(name, started);
    if (started.port !== null) balancer.route(name, started.port);
    void watch(name, started);
  }

  function onLine(line: string): void {
    if (line.includes('"duplicates_not_counted"'))
      notCounted += (JSON.parse(line) as { duplicates: number }).duplicates;
  }

  async function watch(name: string, started: ServiceProcess): Promise<void> {
    const exit = await started.exited;
    if (!ending.has(started)) found.push(`${name} (pid ${started.pid}) ended by itself: ${describe(exit)}`);
  }

  async function restart(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await end(name, signal);
    await start(name);
  }

  async function end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const ended = current.get(name);
    if (!ended) return;
    current.delete(name);
    ending.add(ended);
    ended.kill(signal);
    const exit = await Promise.race([ended.exited, pause(endDeadlineMs, null, { ref: false })]);
    const wanted = signal === 'SIGTERM' ? exit?.code === 0 : exit?.signal === 'SIGKILL';
    if (!wanted) found.push(`${name} (pid ${ended.pid}) after ${signal}: ${exit ? describe(exit) : 'did not end'}`);
    if (exit === null) ended.kill('SIGKILL');
  }

  async function stop(): Promise<void> {
    await Promise.all([...current.keys()].map((name) => end(name, 'SIGTERM')));
  }
}

/** What a killed worker held is taken over after ten seconds instead of a minute; transactions are bounded to fit. */
const shortLeases = {
  WORKER_LEASE_MS: '10000',
  WORKER_STATEMENT_TIMEOUT_MS: '5000',
  WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS: '5000',
  WORKER_TRANSACTION_TIMEOUT_MS: '5000',
};

function describe({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code}` : `killed by ${signal}`;
}
