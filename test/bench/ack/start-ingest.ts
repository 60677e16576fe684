import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { benchEndpoint, benchProvider } from '../bench-event.ts';

/** A server under load. */
export interface LoadedServer {
  readonly pid: number;
  readonly port: number;
  readonly end: () => Promise<void>;
}

export interface StartIngestOptions {
  readonly url: string;
  readonly secret: string;
  readonly endpoints?: readonly string[];
  readonly profiles: string | null;
}

/** The real ingestor with its defaults; logs warnings only, to nobody. */
export async function startIngest({
  url,
  secret,
  endpoints = [benchEndpoint],
  profiles,
}: StartIngestOptions): Promise<LoadedServer> {
  const home = await mkdtemp(join(tmpdir(), 'mailroom-bench-ingest-'));
  const file = join(home, 'mailroom.endpoints.json');
  const entries = endpoints.map((endpoint) => ({ provider: benchProvider, endpoint, secrets: ['env:BENCH_SECRET'] }));
  await writeFile(file, JSON.stringify({ endpoints: entries }));
  const [port = 0, adminPort = 0] = await freePorts(2);
  const flags = profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const script = fileURLToPath(new URL('../../../apps/ingest/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [...flags, script], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      MAILROOM_HOME: home,
      MAILROOM_ENDPOINTS_FILE: file,
      BENCH_SECRET: secret,
      DATABASE_URL: url,
      LOG_LEVEL: 'warn',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
    },
  });
  const exited = once(child, 'exit');
  // Killed with the bench, however it ends.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  try {
    await untilReady(port, () => child.exitCode !== null);
    return { pid: child.pid ?? 0, port, end };
  } catch (error) {
    await end();
    throw error;
  }

  async function end(): Promise<void> {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await exited;
    clearTimeout(timer);
    process.off('exit', killWithUs);
    await rm(home, { recursive: true, force: true });
  }
}

async function untilReady(port: number, ended: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !ended(); tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await delay(50);
  }
  throw new Error('the ingestor did not become ready within 30 s');
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
