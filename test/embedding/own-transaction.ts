import { type Database, inTransaction } from '@mailroom/db';
import { type Delivery, type EventHandler, receiveAndProcess } from '@mailroom/inbox';
import { sql } from 'kysely';

/** Commits what the handlers write together with something of the caller's own. */
export async function receiveAndNote(database: Database, delivery: Delivery, handlers: readonly EventHandler[]) {
  return await inTransaction(database, async (tx) => {
    const results = await receiveAndProcess(tx, delivery, handlers);
    for (const { eventId, outcome } of results) {
      await sql`insert into received_today (event_id, outcome) values (${eventId}, ${outcome})`.execute(tx);
    }
    return results;
  });
}
