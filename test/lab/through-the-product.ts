import { receiveAndProcess } from '@mailroom/inbox';
import { done } from '@mailroom/kernel';
import { bookingHandler } from '../support/booking-handler.ts';
import { delivery } from '../support/inbox-fixtures.ts';
import type { Bench } from './bench.ts';
import { eventId } from './booked.ts';

/** The product receives the event, books it and commits both together. What it says became of it. */
export async function deliver({ database }: Pick<Bench, 'database'>): Promise<string> {
  const results = await receiveAndProcess(database, delivery(eventId), [bookingHandler(() => done)]);
  return results.map(({ outcome }) => outcome).join(', ');
}

/** The same, but the work fails after the booking. */
export async function deliverAndFail({ database }: Pick<Bench, 'database'>): Promise<void> {
  const failure = new Error('the ledger is closed');
  try {
    await receiveAndProcess(database, delivery(eventId), [bookingHandler(() => Promise.reject(failure))]);
  } catch (error) {
    if (error === failure) return;
    throw error;
  }
  throw new Error('the work was to fail');
}
