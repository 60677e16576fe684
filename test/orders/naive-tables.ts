import type { Database } from '@mailroom/db';

/** What a receiver has that somebody writes in an afternoon: a list of seen ids, and bookings. */
export async function createNaiveTables({ pool }: Database): Promise<void> {
  await pool.query('create table seen_events (event_id text primary key)');
  await pool.query('create table bookings (event_id text not null)');
}

export async function emptyNaiveTables({ pool }: Database): Promise<void> {
  await pool.query('delete from seen_events');
  await pool.query('delete from bookings');
}

/** How often an event was booked by the naive receiver. */
export async function bookingsOf({ pool }: Database, eventId: string): Promise<number> {
  const { rows } = await pool.query('select 1 from bookings where event_id = $1', [eventId]);
  return rows.length;
}
