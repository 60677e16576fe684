import { bookingsOf } from '../orders/naive-tables.ts';
import { effectsOf } from '../support/inbox-fixtures.ts';
import type { Bench } from './bench.ts';

/** The one event that a way is given. */
export const eventId = 'evt_1';

/** How often the event was booked by the naive receiver. */
export async function bookedNaively({ database }: Bench): Promise<string> {
  return inWords(await bookingsOf(database, eventId));
}

/** How often it was booked by a handler of the product. */
export async function bookedByProduct({ database }: Bench): Promise<string> {
  return inWords(await effectsOf(database, eventId));
}

function inWords(times: number): string {
  return ['never booked', 'booked once', 'booked twice'][times] ?? `booked ${times} times`;
}
