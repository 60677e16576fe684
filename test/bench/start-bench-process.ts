import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromProcess, ToProcess, Usage } from './bench-process.ts';
import type { BenchServer } from './bench-server.ts';

/** A measured process that is ready to start. */
export interface BenchProcess<Result> {
  readonly pid: number;
  readonly info: unknown;
  /** Lets it run to its result. Rejects when it fails, dies, or takes longer than ten minutes. */
  readonly run: () => Promise<RunResult<Result>>;
  /** Resolves when what came before the clock is done. */
  readonly warmed: Promise<void>;
  /** Ends it, in order. May be called again. */
  readonly end: () => Promise<void>;
  /** Both. */
  readonly runToEnd: () => Promise<RunResult<Result>>;
}

export interface RunResult<Result> {
  readonly result: Result;
  readonly usage: Usage;
  /** What the database server used meanwhile; the bench itself does nothing then. */
  readonly server: { readonly cpuMs: number; readonly walBytes: number };
}

/** Starts `script` (relative to the bench) with a job, and waits until it is ready. */
export async function startBenchProcess<Result>(
  server: BenchServer,
  script: string,
  job: object,
  profiles: string | null = null,
): Promise<BenchProcess<Result>> {
  const child = spawn(process.execPath, [...profileFlags(profiles), fileURLToPath(new URL(script, import.meta.url))], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, NODE_ENV: 'production' },
    serialization: 'advanced',
  });
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  let heard: (message: FromProcess<Result>) => void = () => undefined;
  child.on('message', (message: FromProcess<Result>) => heard(message));
  const send = (message: ToProcess) => void child.send(message);

  const warm = Promise.withResolvers<void>();
  try {
    const ready = await listenFor('ready', () => send({ kind: 'job', job }));
    return { pid, info: ready.info, warmed: warm.promise, run, end, runToEnd };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }

  async function run(): Promise<RunResult<Result>> {
    let before = await server.cost();
    const done = await listenFor(
      'done',
      () => send({ kind: 'go' }),
      async () => {
        before = await server.cost();
        warm.resolve();
      },
    );
    const after = await server.cost();
    return {
      result: done.result,
      usage: done.usage,
      server: { cpuMs: after.cpuMs - before.cpuMs, walBytes: after.walBytes - before.walBytes },
    };
  }

  async function runToEnd(): Promise<RunResult<Result>> {
    try {
      return await run();
    } finally {
      await end();
    }
  }

  async function end(): Promise<void> {
    if (child.connected) send({ kind: 'end' });
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await exited;
    clearTimeout(timer);
  }

  async function listenFor<Kind extends FromProcess<Result>['kind']>(
    kind: Kind,
    start: () => void,
    onWarm: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Extract<FromProcess<Result>, { kind: Kind }>> {
    const wanted = Promise.withResolvers<Extract<FromProcess<Result>, { kind: Kind }>>();
    const died = exited.then(([code, signal]) => wanted.reject(new Error(`${script} ended early (${code ?? signal})`)));
    died.catch(() => undefined);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      wanted.reject(new Error(`${script} did not get to "${kind}" within ten minutes`));
    }, 600_000);
    let warmed = Promise.resolve();
    heard = (message) => {
      if (message.kind === 'warm') warmed = onWarm();
      else if (message.kind === 'failed') wanted.reject(new Error(`${script} failed: ${message.error}`));
      else if (message.kind === kind) wanted.resolve(message as Extract<FromProcess<Result>, { kind: Kind }>);
    };
    start();
    try {
      const message = await wanted.promise;
      await warmed;
      return message;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Hundreds of processes start from the same sources; read once, they start in half the time. */
const compileCache = join(tmpdir(), 'mailroom-bench-compile-cache');

function profileFlags(profiles: string | null): string[] {
  return profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
}
