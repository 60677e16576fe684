import { createHash } from 'node:crypto';
import type { Wanted, WantedRow, WantedRows } from './compare.ts';
import { bookRows } from './expected-books.ts';
import { furthest, type History, historiesOf } from './invoice-history.ts';
import type { Delivery } from './storm-delivery.ts';
import { bodyOf, type StripeEvent } from './stripe-events.ts';

/**
 * The rows that must be there after these deliveries, in whatever order they arrived and however often. Written from the
 * promise, not from the code that keeps it: it imports nothing of Mailroom.
 */
export function expectedRows(deliveries: readonly Delivery[]): ReadonlyMap<string, WantedRows> {
  const accepted = deliveries.filter((delivery) => delivery.answer === 200);
  const events = [...new Map(accepted.map(({ event }) => [event.id, event])).values()];
  const histories = historiesOf(events.filter((event) => !alwaysFails(event)));
  return new Map([
    ['webhook_inbox', rows(events, (event) => [event.id, { cells: inboxCells(event) }])],
    ['webhook_delivery', rows(events, (event) => [event.id, { cells: bodyCells(event) }])],
    ['inbox_duplicates', duplicateRows(accepted)],
    ['invoices', rows(histories, ([id, history]) => [id, { cells: invoiceCells(history) }])],
    ...bookRows(histories),
  ]);
}

/** The database refuses its currency at every attempt. */
function alwaysFails(event: StripeEvent): boolean {
  return event.invoice !== null && !/^[a-z]{3}$/.test(event.invoice.currency);
}

function inboxCells(event: StripeEvent): WantedRow['cells'] {
  return {
    event_type: event.type,
    object_key: event.invoice ? `invoice/${event.invoice.id}` : 'sample/obj_sample',
    livemode: 'false',
    ...stateCells(event),
  };
}

function stateCells(event: StripeEvent): Readonly<Record<string, Wanted>> {
  if (event.invoice === null) return { state: 'parked', last_error: 'none', failures: 'none' };
  // It is tried again after growing pauses, so it still waits unless somebody looks days later.
  if (alwaysFails(event)) return { state: ['pending', 'exhausted'], last_error: 'some', failures: 'some' };
  return { state: 'processed' };
}

/** The very bytes that were signed, kept as they came. */
function bodyCells(event: StripeEvent): WantedRow['cells'] {
  const sha256 = createHash('sha256').update(bodyOf(event)).digest('hex');
  return { sha256, content_type: 'application/json; charset=utf-8' };
}

function duplicateRows(accepted: readonly Delivery[]): WantedRows {
  const copies = Map.groupBy(accepted, ({ event }) => event.id);
  const again = [...copies].filter(([, of]) => of.length > 1);
  return rows(again, ([eventId, of]) => [eventId, { cells: { count: String(of.length - 1) } }]);
}

function invoiceCells(history: History): WantedRow['cells'] {
  const last = furthest(history);
  const { status, currency, customer, subscription, amountDue, amountPaid } = last.invoice;
  const failures = history.filter((event) => event.type === 'invoice.payment_failed');
  return {
    status,
    currency,
    customer,
    subscription,
    amount_due: String(amountDue),
    amount_paid: String(amountPaid),
    snapshot_event_id: last.id,
    failed_payments: String(Math.max(0, ...failures.map((event) => event.invoice.attemptCount))),
  };
}

function rows<T>(of: Iterable<T>, row: (each: T) => readonly [string, WantedRow]): WantedRows {
  return new Map(Array.from(of, row));
}
