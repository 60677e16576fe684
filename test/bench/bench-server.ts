import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@mailroom/kernel';
import { startLocalDatabase } from '@mailroom/localdb';
import { Client, type QueryResultRow } from 'pg';

/** A PostgreSQL of the bench's own. Durability and everything else as PostgreSQL ships it, but for more connections. */
export interface BenchServer {
  /** A new, empty database; the others are left alone. */
  createDatabase(name: string): Promise<string>;
  /** What the server has used since it started. */
  cost(): Promise<ServerCost>;
  /** Asks the server one thing, in its own database. */
  ask<Row extends QueryResultRow>(text: string): Promise<Row[]>;
}

export interface ServerCost {
  /** Of all its processes, milliseconds; NaN where there is no /proc. */
  readonly cpuMs: number;
  readonly walBytes: number;
}

/** Starts a server in a temporary folder and stops it, whatever `work` does. */
export async function withServer<T>(work: (server: BenchServer) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'mailroom-bench-'));
  const local = await startLocalDatabase({ home, log: silentLogger, settings: { max_connections: '300' } });
  const admin = new Client({ connectionString: local.url });
  try {
    await admin.connect();
    return await work({ createDatabase, cost, ask });
  } finally {
    await admin.end().catch(() => undefined);
    await local.stop();
    await rm(home, { recursive: true, force: true });
  }

  async function createDatabase(name: string): Promise<string> {
    await admin.query(`create database ${name}`);
    const url = new URL(local.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async function cost(): Promise<ServerCost> {
    const [wal] = await ask<{ bytes: string }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`);
    return { cpuMs: await cpuMsOf(local.pid), walBytes: Number(wal?.bytes) };
  }

  async function ask<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    return (await admin.query<Row>(text)).rows;
  }
}

/** The postmaster, the children that live, and (in the postmaster's own account) those that have ended. */
async function cpuMsOf(postmaster: number): Promise<number> {
  try {
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const stats = await Promise.all(processes.map((id) => statOf(Number(id))));
    const ticks = stats.reduce((sum, stat) => {
      if (stat?.pid === postmaster) return sum + stat.own + stat.ofEnded;
      return stat?.parent === postmaster ? sum + stat.own : sum;
    }, 0);
    return ticks * msPerTick;
  } catch {
    return Number.NaN;
  }
}

/** A process's CPU time so far and its greatest resident size; NaN where there is no /proc. */
export async function processCost(pid: number): Promise<{ readonly cpuMs: number; readonly peakMb: number }> {
  const stat = await statOf(pid);
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const peakKb = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]);
  return { cpuMs: (stat?.own ?? Number.NaN) * msPerTick, peakMb: peakKb / 1024 };
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  readonly ofEnded: number;
}

async function statOf(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // proc_pid_stat(5); the second field is a name that may hold anything, in parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((at) =>
    Number(fields[at]),
  );
  return { pid, parent, own: user + system, ofEnded: endedUser + endedSystem };
}

// USER_HZ, which is 100 on every Linux that Node runs on.
const msPerTick = 10;
