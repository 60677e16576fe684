import { openDatabase } from '@mailroom/db';
import { claim } from '../support/inbox-fixtures.ts';
import { eventId } from './booked.ts';
import { connectDynamoDb } from './dynamodb.ts';
import { bookThenMark } from './marked-receivers.ts';

// A process that is killed while it works on an event: `process-killer.ts one-transaction|claimed-before|marker-last [DYNAMODB]`.
const [, , shape = '', endpoint = ''] = process.argv;
const database = openDatabase({
  url: process.env['DATABASE_URL'] ?? '',
  applicationName: `mailroom-lab-${shape}`,
  maxConnections: 1,
  connectTimeoutMs: 10_000,
  queryTimeoutMs: 0,
  onIdleError: () => undefined,
});

switch (shape) {
  case 'one-transaction':
    await database.pool.query('begin');
    await database.pool.query('select from jobs where attempts < 3 limit 1 for update skip locked');
    await database.pool.query('update jobs set attempts = attempts + 1');
    await die();
    break;
  case 'claimed-before':
    await claim(database, { limit: 1, worker: 'lab', leaseMs: 60_000 });
    await die();
    break;
  case 'marker-last':
    await bookThenMark({ database, client: connectDynamoDb(endpoint) }, eventId, die);
    break;
  default:
    throw new Error(`no such shape: ${shape}`);
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
