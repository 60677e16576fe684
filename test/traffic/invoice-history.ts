import type { Invoice, InvoiceStatus, StripeEvent } from './stripe-events.ts';

export type InvoiceEvent = StripeEvent & { readonly invoice: Invoice };

/** Everything that was said about one invoice, in no order that matters. */
export type History = readonly InvoiceEvent[];

/** The events about each invoice. */
export function historiesOf(events: readonly StripeEvent[]): ReadonlyMap<string, History> {
  const about = events.flatMap((event) => (event.invoice ? [{ ...event, invoice: event.invoice }] : []));
  return Map.groupBy(about, (event) => event.invoice.id);
}

/** The event that shows the furthest status; among equals the later one, then the greater id. */
export function furthest(history: History): InvoiceEvent {
  return history.reduce((a, b) => (isFurther(a, b) ? a : b));
}

export function eventsShowing(history: History, status: InvoiceStatus): History {
  return history.filter((event) => event.invoice.status === status);
}

const ranks: Readonly<Record<InvoiceStatus, number>> = { draft: 0, open: 1, uncollectible: 2, paid: 3, void: 4 };

function isFurther(a: InvoiceEvent, b: InvoiceEvent): boolean {
  const byRank = ranks[a.invoice.status] - ranks[b.invoice.status];
  if (byRank !== 0) return byRank > 0;
  if (a.created !== b.created) return a.created > b.created;
  return a.id > b.id;
}
