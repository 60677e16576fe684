import { openDatabase } from '@mailroom/db';
import { receiveAndProcess } from '@mailroom/inbox';
import { bookingHandler } from '../support/booking-handler.ts';
import { delivery } from '../support/inbox-fixtures.ts';

// For a-crash-books-nothing-twice.test.ts: does the booking, says so, and stands still where the test kills it.
const [, , order = '', eventId = ''] = process.argv;
const database = openDatabase({
  url: process.env['DATABASE_URL'] ?? '',
  applicationName: `mailroom-test-${order}`,
  maxConnections: 1,
  connectTimeoutMs: 10_000,
  queryTimeoutMs: 0,
  onIdleError: () => undefined,
});

if (order === 'record-last') {
  await database.pool.query('insert into bookings values ($1)', [eventId]);
  await standStill();
  await database.pool.query('insert into seen_events values ($1)', [eventId]);
} else {
  await receiveAndProcess(database, delivery(eventId), [bookingHandler(standStill)]);
}

function standStill(): Promise<never> {
  process.stdout.write('booked\n');
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}
