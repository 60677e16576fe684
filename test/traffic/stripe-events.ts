import { randomBytes } from 'node:crypto';

export type InvoiceStatus = 'draft' | 'open' | 'uncollectible' | 'paid' | 'void';

/** What the traffic says about an invoice. */
export interface Invoice {
  readonly id: string;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly customer: string;
  readonly subscription: string;
  readonly amountDue: bigint;
  readonly amountPaid: bigint;
  /** Payment attempts so far, as Stripe counts them. */
  readonly attemptCount: number;
  /** Stripe moved the subscription and dropped `paid` on 2025-03-31; both shapes are still sent, by the endpoint's version. */
  readonly shape: 'before-basil' | 'since-basil';
}

/** An Event object as Stripe would send it. */
export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** Unix seconds. */
  readonly created: number;
  readonly invoice: Invoice | null;
}

const statusOfType = {
  'invoice.created': 'draft',
  'invoice.finalized': 'open',
  'invoice.paid': 'paid',
  'invoice.payment_failed': 'open',
  'invoice.voided': 'void',
} as const satisfies Record<string, InvoiceStatus>;

export type InvoiceEventType = keyof typeof statusOfType;

export const invoiceEventTypes = Object.keys(statusOfType) as InvoiceEventType[];

/** The invoice as it stands when Stripe makes an event of this type. */
export function invoiceAt(type: InvoiceEventType, given: Partial<Invoice> & { readonly id: string }): Invoice {
  const amountDue = given.amountDue ?? 2500n;
  return {
    status: statusOfType[type],
    currency: 'eur',
    customer: 'cus_sample',
    subscription: 'sub_sample',
    amountDue,
    amountPaid: type === 'invoice.paid' ? amountDue : 0n,
    attemptCount: type === 'invoice.paid' || type === 'invoice.payment_failed' ? 1 : 0,
    shape: 'since-basil',
    ...given,
  };
}

/** An id nobody has used: Stripe's are `evt_`, `in_` and so on, then letters and digits. */
export function freshId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/** The body, byte for byte as Stripe prints it: two spaces of indentation, not ASCII only, integers of any length. */
export function bodyOf(event: StripeEvent): Buffer {
  const object = event.invoice ? invoiceJson(event.invoice) : { id: 'obj_sample', object: 'sample' };
  return Buffer.from(
    printJson({
      id: event.id,
      object: 'event',
      api_version: event.invoice?.shape === 'before-basil' ? '2020-03-02' : '2026-07-29.dahlia',
      created: event.created,
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: event.type,
    }),
  );
}

function invoiceJson(invoice: Invoice): Record<string, unknown> {
  const line = { subscription: invoice.subscription };
  const shaped =
    invoice.shape === 'before-basil'
      ? { ...line, paid: invoice.status === 'paid', payment_intent: null }
      : { parent: { type: 'subscription_details', subscription_details: { ...line, metadata: {} } } };
  return {
    id: invoice.id,
    object: 'invoice',
    amount_due: invoice.amountDue,
    amount_paid: invoice.amountPaid,
    amount_remaining: invoice.amountDue - invoice.amountPaid,
    attempt_count: invoice.attemptCount,
    billing_reason: 'subscription_cycle',
    currency: invoice.currency,
    customer: invoice.customer,
    customer_name: 'Zoë Müller 株式会社',
    description: null,
    livemode: false,
    metadata: {},
    status: invoice.status,
    total: invoice.amountDue,
    ...shaped,
  };
}

function printJson(value: unknown): string {
  const marked = JSON.stringify(value, (_key, at: unknown) => (typeof at === 'bigint' ? `bigint:${at}` : at), 2);
  return marked.replaceAll(/"bigint:(-?\d+)"/g, '$1');
}
