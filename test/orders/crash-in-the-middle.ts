import { openDatabase } from '@mailroom/db';
import { receiveAndProcess } from '@mailroom/inbox';
import { bookingHandler } from '../support/booking-handler.ts';
import { delivery } from '../support/inbox-fixtures.ts';
import { recordLast } from './naive-receivers.ts';

// Receives one event, and is killed after the booking: `crash-in-the-middle.ts record-last|together EVENT_ID`.
const [, , order = '', eventId = ''] = process.argv;
const database = openDatabase({
  url: process.env['DATABASE_URL'] ?? '',
  applicationName: `mailroom-test-${order}`,
  maxConnections: 1,
  connectTimeoutMs: 10_000,
  queryTimeoutMs: 0,
  onIdleError: () => undefined,
});

if (order === 'record-last') await recordLast(database, eventId, die);
else await receiveAndProcess(database, delivery(eventId), [bookingHandler(die)]);

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
