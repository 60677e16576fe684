import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../support/compile-cache.ts';
import type { Bench } from './bench.ts';

const repository = new URL('../../', import.meta.url);

/** Runs a script in a process of its own, which is to end by SIGKILL. */
export async function runUntilKilled({ url }: Bench, script: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, repository)), ...args], {
    env: { ...process.env, ...compileCache, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== 'SIGKILL') throw new Error(`${script} was to be killed, but ended with ${signal ?? code}`);
}
