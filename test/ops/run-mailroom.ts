import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../support/compile-cache.ts';

export interface Answer {
  readonly code: number | null;
  readonly bytes: Buffer;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  /** Null: unset. */
  readonly url: string | null;
  readonly env?: Readonly<Record<string, string>>;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs the real command line in a process of its own, with nothing in its environment but what is given here. Standard
 * output is kept as bytes too, for `body` is about bytes.
 */
export async function runMailroom(args: readonly string[], { url, env = {} }: Surroundings): Promise<Answer> {
  const child = spawn(process.execPath, ['apps/ops/src/main.ts', ...args], {
    cwd: repository,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      USER: 'tester',
      ...compileCache,
      ...(url === null ? {} : { DATABASE_URL: url }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => void err.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const bytes = Buffer.concat(out);
  return { code, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() };
}

/** The one JSON document that a command with `--json` wrote. Fails where it is not exactly one. */
export async function runJson<T>(args: readonly string[], surroundings: Surroundings): Promise<T> {
  const { stdout } = await runMailroom([...args, '--json'], surroundings);
  return JSON.parse(stdout) as T;
}
