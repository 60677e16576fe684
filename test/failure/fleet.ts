import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compileCache } from '@mailroom/handler-kit/support';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { reachedLine, type WorkerMessage } from './protocol-point.ts';

export const ingestors = ['ingest-1', 'ingest-2'] as const;
export const workers = ['worker-1', 'worker-2', 'worker-3', 'worker-4'] as const;
export type ProcessName = (typeof ingestors)[number] | (typeof workers)[number];

/** Two ingestors and four workers that are started again whenever they end, as an orchestrator does. */
export interface Fleet {
  /** The process that runs under this name; undefined while it is being started. */
  running(name: ProcessName): ServiceProcess | undefined;
  /** Waits until one runs under this name; undefined where the fleet is stopped first. */
  started(name: ProcessName): Promise<ServiceProcess | undefined>;
  /** From now on it may end in any way: somebody is about to do something to it. */
  excuse(target: ServiceProcess): void;
  /** Resolves when the process says that it is where it was told to act. */
  reached(target: ServiceProcess): Promise<void>;
  tell(target: ServiceProcess, message: WorkerMessage): void;
  /** How often a process was started in all. */
  starts(): number;
  /** SIGTERM to all, and waits for their ends. */
  stop(): Promise<void>;
  /** Processes that ended by themselves, or otherwise than they should. */
  problems(): readonly string[];
}

export interface FleetOptions {
  /** Of this repository are the ingestors and workers. */
  readonly repository: string;
  /** Their logs are written here. */
  readonly logs: string;
  /** Where each finds the database. */
  readonly databaseUrlOf: (name: ProcessName) => string;
  readonly secret: string;
  /** Where the workers' relays send the outbox, and what they sign it with. */
  readonly messages: { readonly url: string; readonly secret: string };
}

/** How long a worker of the fleet owns what it claimed: events and messages. */
export const fleetLeaseMs = 5_000;

/** A message may not still be on its way when another worker claims it. */
const sendTimeoutMs = fleetLeaseMs / 2;

const settings: Readonly<Record<string, string>> = {
  ADMIN_PORT: '0',
  PORT: '0',
  WORKER_LEASE_MS: String(fleetLeaseMs),
  OUTBOX_LEASE_MS: String(fleetLeaseMs),
  OUTBOX_SEND_TIMEOUT_MS: String(sendTimeoutMs),
  WORKER_STATEMENT_TIMEOUT_MS: '2000',
  WORKER_IDLE_IN_TRANSACTION_TIMEOUT_MS: '2000',
  WORKER_TRANSACTION_TIMEOUT_MS: '2500',
  WORKER_BACKOFF_BASE_MS: '50',
  WORKER_BACKOFF_CAP_MS: '1000',
};

/** More than the shutdown deadline of the processes, after which they end themselves. */
const endDeadlineMs = 40_000;
const startDeadlineMs = 90_000;
const startAgainAfterMs = 200;

export async function startFleet({ repository, logs, databaseUrlOf, secret, messages }: FleetOptions): Promise<Fleet> {
  const current = new Map<ProcessName, ServiceProcess>();
  const excused = new WeakSet<ServiceProcess>();
  const reachedBy = new Map<ProcessName, PromiseWithResolvers<void>>();
  const found: string[] = [];
  const stopping = new AbortController();
  let starts = 0;
  const sinksFile = join(logs, 'sinks.json');
  writeFileSync(sinksFile, sinksOf(messages.url));

  const names: readonly ProcessName[] = [...ingestors, ...workers];
  const kept = names.map(keep);
  const all = Promise.all(names.map(started)).then(() => true);
  if (!(await Promise.race([all, pause(startDeadlineMs, false, { ref: false })]))) {
    await stop();
    throw new Error(`the fleet did not start within ${startDeadlineMs / 1000} s: ${found[0] ?? 'no process ended'}`);
  }
  return { running, started, excuse, reached, tell, starts: () => starts, stop, problems: () => found };

  function running(name: ProcessName): ServiceProcess | undefined {
    return current.get(name);
  }

  async function started(name: ProcessName): Promise<ServiceProcess | undefined> {
    while (!stopping.signal.aborted) {
      const process = current.get(name);
      if (process) return process;
      await pause(20);
    }
    return undefined;
  }

  function excuse(target: ServiceProcess): void {
    excused.add(target);
  }

  function tell(target: ServiceProcess, message: WorkerMessage): void {
    target.tell(message);
  }

  async function reached(target: ServiceProcess): Promise<void> {
    const name = names.find((each) => current.get(each) === target);
    if (name === undefined) return await new Promise(() => undefined);
    const waiting = reachedBy.get(name) ?? Promise.withResolvers<void>();
    reachedBy.set(name, waiting);
    await waiting.promise;
  }

  async function keep(name: ProcessName): Promise<void> {
    while (!stopping.signal.aborted) {
      const process = await start(name);
      if (!process) {
        await pause(startAgainAfterMs);
        continue;
      }
      if (stopping.signal.aborted) {
        await end(name, process);
        return;
      }
      current.set(name, process);
      const { code, signal } = await process.exited;
      current.delete(name);
      if (!stopping.signal.aborted && !excused.has(process)) {
        found.push(`${name} (pid ${process.pid}) ended by itself: ${signal ?? `exit code ${code}`}`);
      }
    }
  }

  async function start(name: ProcessName): Promise<ServiceProcess | undefined> {
    const worker = name.startsWith('worker');
    starts += 1;
    try {
      return await startService({
        repository,
        script: worker ? 'apps/worker/src/main.ts' : 'apps/ingest/src/main.ts',
        readyEvent: worker ? 'worker_started' : 'ingest_listening',
        execArgv: (worker ? inWorkers : inIngestors).flatMap((file) => ['--import', preload(repository, file)]),
        env: {
          ...compileCache,
          ...settings,
          DATABASE_URL: databaseUrlOf(name),
          MAILROOM_HOME: logs,
          ...(worker
            ? { MAILROOM_SINKS_FILE: sinksFile, [signingSecret]: messages.secret }
            : { STRIPE_WEBHOOK_SECRET: secret }),
        },
        logFile: join(logs, `${name}.log`),
        listens: true,
        onLine: (line) => {
          if (line !== reachedLine) return;
          reachedBy.get(name)?.resolve();
          reachedBy.delete(name);
        },
      });
    } catch (error) {
      if (!stopping.signal.aborted) found.push(`${name} did not start: ${String(error)}`);
      return undefined;
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all([...current].map(([name, process]) => end(name, process)));
    await Promise.all(kept);
  }

  async function end(name: ProcessName, process: ServiceProcess): Promise<void> {
    process.kill('SIGCONT');
    process.kill('SIGTERM');
    const exit = await Promise.race([process.exited, pause(endDeadlineMs, null, { ref: false })]);
    if (exit?.code !== 0 && !excused.has(process)) {
      const how = exit ? (exit.signal ?? `exit code ${exit.code}`) : `not ended after ${endDeadlineMs / 1000} s`;
      found.push(`${name} (pid ${process.pid}) after SIGTERM: ${how}`);
    }
    process.kill('SIGKILL');
  }
}

const signingSecret = 'CHAOS_SIGNING_SECRET';

/** The receiver is on loopback, so that must be allowed. */
function sinksOf(url: string): string {
  const secrets = [`env:${signingSecret}`];
  const timeouts = { timeoutMs: sendTimeoutMs, connectTimeoutMs: sendTimeoutMs };
  const where = { topics: ['invoice.*'], url, allowPrivateAddresses: true };
  return JSON.stringify({ sinks: [{ name: 'receiver', type: 'http', secrets, ...where, ...timeouts }] });
}

const inIngestors = ['follow-parent'];
const inWorkers = ['follow-parent', 'protocol-points', 'shifted-clock', 'witness'];

function preload(repository: string, name: string): string {
  return join(repository, 'test/failure/preload', `${name}.ts`);
}
