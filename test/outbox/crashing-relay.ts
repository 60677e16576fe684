// A relay that kills itself at one point of its first message, as a machine that loses its power would.
import process from 'node:process';
import { openDatabase } from '@mailroom/db';
import type { Sink } from '@mailroom/outbox';
import { testRelay } from '../support/outbox-fixtures.ts';
import { makeSink, type SinkDescription } from './described-sink.ts';

export type CrashPoint = 'before send' | 'after send' | 'before mark';

const [url = '', point = '', description = ''] = process.argv.slice(2);
const sink = makeSink(JSON.parse(description) as SinkDescription);
const database = openDatabase({
  url,
  applicationName: 'crashing-relay',
  maxConnections: 3,
  connectTimeoutMs: 5_000,
  queryTimeoutMs: 30_000,
  onIdleError: () => undefined,
});

const crashing: Sink = {
  name: sink.name,
  send: async (message, signal) => {
    if (point === 'before send') return die();
    const result = await sink.send(message, signal);
    if (point === 'after send' || result.outcome !== 'sent') return die();
    return { ...result, record: die };
  },
};
testRelay(database, crashing, { name: 'crashing' });

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('dead');
}
