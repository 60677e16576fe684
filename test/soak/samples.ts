import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Fleet } from './fleet.ts';

/** What was seen at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly memory: readonly MemorySample[];
  /** Database sessions of ingestors and workers. */
  readonly connections: number;
  /** Of those, the ones with a transaction open. */
  readonly inTransaction: number;
}

export interface MemorySample {
  readonly name: string;
  readonly pid: number;
  readonly residentBytes: number;
  /** Of the JavaScript heap, garbage included. */
  readonly heapUsedBytes: number;
}

const everyMs = 2_000;

/** Looks every two seconds until told to stop. */
export async function takeSamples(client: Client, fleet: Fleet, stop: AbortSignal): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  while (!stop.aborted) {
    samples.push(await takeSample(client, fleet));
    await pause(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
  return samples;
}

export async function takeSample(client: Client, fleet: Fleet): Promise<Sample> {
  const looked = await Promise.all(fleet.names.map((name) => memoryOf(fleet, name)));
  const { rows } = await client.query<{ connections: number; inTransaction: number }>(sessionsSql);
  const [sessions = { connections: 0, inTransaction: 0 }] = rows;
  return { atMs: performance.now(), memory: looked.filter((each) => each !== null), ...sessions };
}

/** As the process itself tells Prometheus; null while it is being replaced. */
async function memoryOf(fleet: Fleet, name: string): Promise<MemorySample | null> {
  const running = fleet.running(name);
  if (!running) return null;
  try {
    const metrics = await (await fetch(`http://127.0.0.1:${running.adminPort}/metrics`)).text();
    const residentBytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
    const heapUsedBytes = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]);
    return { name, pid: running.pid, residentBytes, heapUsedBytes };
  } catch {
    return null;
  }
}

const sessionsSql = `
  select count(*)::int as connections, (count(*) filter (where xact_start is not null))::int as "inTransaction"
  from pg_stat_activity
  where datname = current_database() and application_name in ('mailroom-ingest', 'mailroom-worker', 'mailroom-worker-control')`;
