import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import type { BenchServer } from './bench-server.ts';

/** Where the figures are from. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgres: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly commit: string;
  readonly startedAt: string;
  /** Before the first round; much above 0 says that others were at work. */
  readonly loadBefore: number;
}

const shown = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size', 'wal_sync_method'];

export async function describeMachine(server: BenchServer): Promise<Machine> {
  const [version] = await server.ask<{ version: string }>('select version()');
  const settings = await server.ask<{ name: string; value: string }>(
    `select name, current_setting(name) as value from pg_settings where name in (${shown.map((name) => `'${name}'`).join(', ')})`,
  );
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    postgres: (version?.version ?? 'unknown').split(' on ')[0] ?? 'unknown',
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    commit: commit(),
    startedAt: new Date().toISOString(),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
