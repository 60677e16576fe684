import { type Database, inTransaction } from '@mailroom/db';
import { sql } from 'kysely';

/** What the provider is told. */
export type NaiveAnswer = 200 | 503;

/** Looks whether the event was seen, and if not books and records it. `hasLooked` runs in between. */
export async function checkThenAct(
  database: Database,
  eventId: string,
  hasLooked: () => Promise<void> = nothing,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const { rows } = await sql`select 1 from seen_events where event_id = ${eventId}`.execute(tx);
    await hasLooked();
    if (rows.length > 0) return;
    await sql`insert into bookings values (${eventId})`.execute(tx);
    await sql`insert into seen_events values (${eventId}) on conflict do nothing`.execute(tx);
  });
}

/** Records, commits, then books. `work` runs before the booking and may fail. */
export async function recordFirst(
  { pool }: Database,
  eventId: string,
  work: () => Promise<void> = nothing,
): Promise<NaiveAnswer> {
  const seen = await pool.query('insert into seen_events values ($1) on conflict do nothing', [eventId]);
  if (seen.rowCount === 0) return 200;
  try {
    await work();
    await pool.query('insert into bookings values ($1)', [eventId]);
    return 200;
  } catch {
    return 503;
  }
}

/** Books, commits, then records. `hasBooked` runs in between. */
export async function recordLast(
  { pool }: Database,
  eventId: string,
  hasBooked: () => Promise<void> = nothing,
): Promise<void> {
  const seen = await pool.query('select 1 from seen_events where event_id = $1', [eventId]);
  if (seen.rowCount !== 0) return;
  await pool.query('insert into bookings values ($1)', [eventId]);
  await hasBooked();
  await pool.query('insert into seen_events values ($1)', [eventId]);
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
