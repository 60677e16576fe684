import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Database } from '@mailroom/db';
import { markerOf, putMarker } from './dynamodb.ts';

/** Business data in PostgreSQL, the list of seen events in DynamoDB: no transaction covers both. */
interface TwoStores {
  readonly database: Database;
  readonly client: DynamoDBClient;
}

/** Seconds of the caller's clock. */
interface MarkerTime {
  readonly now: number;
  readonly ttl: number;
}

const fixed: MarkerTime = { now: 0, ttl: 3_600 };

/** Marks, then books. `work` runs before the booking and may fail. */
export async function markThenBook(
  { database, client }: TwoStores,
  eventId: string,
  { time = fixed, work = nothing }: { readonly time?: MarkerTime; readonly work?: () => Promise<void> } = {},
): Promise<void> {
  if (!(await putMarker(client, eventId, time))) return;
  await work();
  await database.pool.query('insert into bookings values ($1)', [eventId]);
}

/** Books, then marks. `hasBooked` runs in between. */
export async function bookThenMark(
  { database, client }: TwoStores,
  eventId: string,
  hasBooked: () => Promise<void> = nothing,
): Promise<void> {
  if ((await markerOf(client, eventId)) !== null) return;
  await database.pool.query('insert into bookings values ($1)', [eventId]);
  await hasBooked();
  await putMarker(client, eventId, fixed);
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
