import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { hasNatsServer, startNatsServer } from '../support/nats-server.ts';
import type { SinkDescription } from './described-sink.ts';
import { startHttpReceiver } from './http-receiver.ts';

/** What arrived, as a receiver tells messages apart. */
export interface Arrival {
  readonly id: string;
  readonly fencingToken: string;
}

export interface RunningSink {
  readonly description: SinkDescription;
  arrivals(): Promise<readonly Arrival[]>;
  stop(): Promise<void>;
}

/** One sink with the world that it sends to. */
export interface SinkUnderTest {
  readonly name: string;
  /** Why it cannot be tested here; null where it can. */
  readonly cannotRun: string | null;
  /** Whether its receiver itself drops duplicates that come soon. */
  readonly dropsDuplicates: boolean;
  readonly start: () => Promise<RunningSink>;
}

export const signingKey = Buffer.from('a signing key of thirty-two byte').toString('base64');

/** Every sink; the contract suite runs for each. */
export const sinksUnderTest: readonly SinkUnderTest[] = [
  { name: 'signed HTTP', cannotRun: null, dropsDuplicates: false, start: startHttp },
  {
    name: 'NATS JetStream',
    cannotRun: hasNatsServer() ? null : 'nats-server is not installed (Debian package nats-server)',
    dropsDuplicates: true,
    start: startNats,
  },
  { name: 'log', cannotRun: null, dropsDuplicates: false, start: startLog },
];

async function startHttp(): Promise<RunningSink> {
  const receiver = await startHttpReceiver();
  return {
    description: { kind: 'http', url: receiver.url, key: signingKey },
    arrivals: () =>
      Promise.resolve(
        receiver.posts.map(({ headers }) => ({
          id: String(headers['webhook-id']),
          fencingToken: String(headers['mailroom-fencing-token']),
        })),
      ),
    stop: () => receiver.close(),
  };
}

async function startNats(): Promise<RunningSink> {
  const server = await startNatsServer();
  const connection = await connect({ servers: server.url });
  await (await jetstreamManager(connection)).streams.add({ name: 'MAILROOM', subjects: ['mailroom.>'] });
  return {
    description: { kind: 'nats', url: server.url },
    arrivals: () => stored(connection),
    stop: async () => {
      await connection.close();
      await server.remove();
    },
  };
}

async function stored(connection: NatsConnection): Promise<readonly Arrival[]> {
  const stream = await jetstream(connection).streams.get('MAILROOM');
  const { state } = await stream.info();
  const arrivals: Arrival[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await stream.getMessage({ seq });
    arrivals.push({
      id: message?.header.get('Nats-Msg-Id') ?? '',
      fencingToken: message?.header.get('Mailroom-Fencing-Token') ?? '',
    });
  }
  return arrivals;
}

function startLog(): Promise<RunningSink> {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-log-sink-'));
  const file = join(folder, 'log');
  writeFileSync(file, '');
  return Promise.resolve({
    description: { kind: 'log', file },
    arrivals: () => Promise.resolve(readFileSync(file, 'utf8').split('\n').filter(Boolean).map(arrivalOf)),
    stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  });
}

function arrivalOf(line: string): Arrival {
  const { message, fence } = JSON.parse(line) as { message: string; fence: string };
  return { id: message, fencingToken: fence };
}
