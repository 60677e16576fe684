import type { InvoiceStatus, PostedEvent, ShownInvoice } from './posted-event.ts';

/** An event that shows an invoice and whose handler succeeds. */
export type InvoiceEvent = PostedEvent & { readonly invoice: ShownInvoice };

/** What must be known of one invoice after a set of events, whatever their order and however often each was delivered. */
export interface InvoiceEnd {
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly amountDue: number;
  readonly amountPaid: number;
  /** The event whose picture of the invoice is kept. */
  readonly shownBy: string;
  readonly failedPayments: number;
  /** null: nothing was ever paid. */
  readonly payment: Payment | null;
}

export interface Payment {
  readonly amount: number;
  readonly currency: string;
  /** Any one of these may have booked it. */
  readonly paidBy: ReadonlySet<string>;
  /**
   * Empty: booked once. Else the invoice is void too, and there is either nothing (the void came first) or the payment and its
   * reversal; and in both cases one anomaly.
   */
  readonly voidedBy: ReadonlySet<string>;
}

/** The end of every invoice that these events are about. Only events that are in the ledger and apply may be given. */
export function invoiceEnds(events: readonly InvoiceEvent[]): ReadonlyMap<string, InvoiceEnd> {
  const byInvoice = Map.groupBy(events, ({ invoice }) => invoice.id);
  return new Map([...byInvoice].map(([id, about]) => [id, endOf(about)]));
}

function endOf(about: readonly InvoiceEvent[]): InvoiceEnd {
  const last = about.reduce((a, b) => (comesAfter(b, a) ? b : a));
  const { status, currency, amountDue, amountPaid } = last.invoice;
  const failures = about.filter(({ type }) => type === 'invoice.payment_failed');
  return {
    status,
    currency,
    amountDue,
    amountPaid,
    shownBy: last.id,
    failedPayments: Math.max(0, ...failures.map(({ invoice }) => Math.max(1, invoice.attemptCount))),
    payment: paymentOf(about),
  };
}

function paymentOf(about: readonly InvoiceEvent[]): Payment | null {
  const paid = about.filter(({ invoice }) => invoice.status === 'paid');
  const first = paid[0]?.invoice;
  if (!first) return null;
  const idsOf = (some: readonly InvoiceEvent[]): ReadonlySet<string> => new Set(some.map(({ id }) => id));
  return {
    amount: first.amountPaid,
    currency: first.currency,
    paidBy: idsOf(paid),
    voidedBy: idsOf(about.filter(({ invoice }) => invoice.status === 'void')),
  };
}

const steps: readonly InvoiceStatus[] = ['draft', 'open', 'uncollectible', 'paid', 'void'];

/** The further status wins; among equals the later second, then the greater id, byte by byte. */
function comesAfter(b: InvoiceEvent, a: InvoiceEvent): boolean {
  const by = steps.indexOf(b.invoice.status) - steps.indexOf(a.invoice.status) || b.created - a.created;
  return by === 0 ? b.id > a.id : by > 0;
}
