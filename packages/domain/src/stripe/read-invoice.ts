import { z } from 'zod';
import { amount, reference, text } from '../payload-fields.ts';
import { type InvoiceStatus, invoiceStatuses } from './invoice-state.ts';

interface InvoiceFields {
  readonly id: string;
  /** `stripe:invoice:<id>`: the invoice in the outbox and among the anomalies. */
  readonly key: string;
  readonly customer: string | null;
  readonly subscription: string | null;
  /** In the currency's smallest unit. */
  readonly amountDue: bigint | null;
  /** Payment attempts so far, as Stripe counts them. */
  readonly attemptCount: number;
}

/** An invoice that is paid always says how much, in what: without these there is nothing that could be booked. */
export interface PaidInvoice extends InvoiceFields {
  readonly status: 'paid';
  readonly amountPaid: bigint;
  readonly currency: string;
}

interface UnpaidInvoice extends InvoiceFields {
  readonly status: Exclude<InvoiceStatus, 'paid'>;
  readonly amountPaid: bigint | null;
  readonly currency: string | null;
}

export type Invoice = PaidInvoice | UnpaidInvoice;

const keyPrefix = 'stripe:invoice:';

const fields = {
  // So that the key fits the 255 characters that an outbox aggregate may have.
  id: text(255 - keyPrefix.length),
  customer: reference,
  // Until API version 2025-03-31 the subscription stood here, since then it stands under the parent. An endpoint keeps the
  // version it was made with, so both are still sent.
  subscription: reference,
  parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
  amount_due: amount.nullish(),
  attempt_count: z.int().min(0).max(2_147_483_647).nullish(),
};

// Which currencies our books can hold is the table's rule, not the payload's: an event in a currency that is new to them is
// sound, so it fails and is tried again (after a migration it succeeds) instead of being rejected as malformed.
const currency = text(255);

const paidInvoice = z.object({ ...fields, status: z.literal('paid'), amount_paid: amount, currency });

const unpaidInvoice = z.object({
  ...fields,
  status: z.enum(invoiceStatuses).exclude(['paid']),
  amount_paid: amount.nullish(),
  currency: currency.nullish(),
});

/**
 * The invoice in a Stripe event, of any API version since 2018-11-08, which brought `status`. Only `status` decides whether
 * an invoice is paid: the old `paid` flag is gone since 2025-03-31 and said true of open invoices over nothing.
 */
export const invoiceEvent = z
  .object({
    data: z.object({
      object: z.discriminatedUnion('status', [paidInvoice, unpaidInvoice], `not one of ${invoiceStatuses.join(', ')}`),
    }),
  })
  .transform(({ data: { object } }): Invoice => {
    const common = {
      id: object.id,
      key: `${keyPrefix}${object.id}`,
      customer: object.customer,
      subscription: object.parent?.subscription_details?.subscription ?? object.subscription,
      amountDue: object.amount_due ?? null,
      attemptCount: object.attempt_count ?? 0,
    };
    if (object.status === 'paid') {
      return { ...common, status: object.status, amountPaid: object.amount_paid, currency: object.currency };
    }
    return {
      ...common,
      status: object.status,
      amountPaid: object.amount_paid ?? null,
      currency: object.currency ?? null,
    };
  });
