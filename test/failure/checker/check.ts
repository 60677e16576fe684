import type { ClientBase } from 'pg';
import { checkInbox } from './check-inbox.ts';
import { checkInvoices } from './check-invoices.ts';
import type { Difference } from './difference.ts';
import { readFoundRows } from './found-rows.ts';
import type { PostedEvent } from './posted-event.ts';

/**
 * Compares the database with what must be there after these posts. It shares no code with the product: its model is written
 * from the promise. An event that was never acknowledged may be there or not, but then it must be whole.
 */
export async function check(client: ClientBase, posted: Iterable<PostedEvent>): Promise<readonly Difference[]> {
  const byId = new Map(Array.from(posted, (event) => [event.id, event]));
  const found = await readFoundRows(client);
  return [...checkInbox(byId, found), ...checkInvoices(byId, found)];
}
