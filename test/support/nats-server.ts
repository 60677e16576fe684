import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { freePort } from './server-process.ts';
import { waitFor } from './wait-for.ts';

/** Whether a NATS server is installed here: the Debian package `nats-server`. */
export function hasNatsServer(): boolean {
  return spawnSync('nats-server', ['--version']).status === 0;
}

export interface NatsServer {
  readonly url: string;
  /** Stops it; what it stored stays. */
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
  /** Stops it and removes what it stored. */
  remove(): Promise<void>;
}

/** A NATS server with JetStream, on a free port, its store in a folder of its own. */
export async function startNatsServer(): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mailroom-nats-'));
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  let end: (() => Promise<void>) | undefined;
  await start();
  return { url, start, stop, remove };

  async function start(): Promise<void> {
    const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], {
      stdio: 'ignore',
    });
    const exited = new Promise((resolve) => server.once('exit', resolve));
    end = async () => {
      server.kill('SIGTERM');
      await exited;
    };
    await waitFor('NATS to answer', async () => {
      const connection = await connect({ servers: url, timeout: 1_000, reconnect: false });
      await connection.close();
      return true;
    });
  }

  async function stop(): Promise<void> {
    await end?.();
    end = undefined;
  }

  async function remove(): Promise<void> {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}
