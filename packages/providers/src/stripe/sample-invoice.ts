import type { JsonValue } from '@mailroom/kernel';
import type { SampleValues } from '../provider.ts';

export type InvoiceStage = 'created' | 'finalized' | 'paid' | 'payment_failed' | 'voided';

/** An invoice as the API shows it since 2025-03-31: its subscription stands under `parent`, there is no `paid`. */
export function sampleInvoice({ tag, nowMs }: SampleValues, stage: InvoiceStage): JsonValue {
  const now = Math.floor(nowMs / 1000);
  const isPaid = stage === 'paid';
  const isFinal = stage !== 'created';
  const wasTried = isPaid || stage === 'payment_failed';
  return {
    id: `in_${tag}`,
    object: 'invoice',
    account_country: 'DE',
    account_name: 'Example GmbH',
    amount_due: totalCents,
    amount_overpaid: 0,
    amount_paid: isPaid ? totalCents : 0,
    amount_remaining: isPaid ? 0 : totalCents,
    amount_shipping: 0,
    attempt_count: wasTried ? 1 : 0,
    attempted: wasTried,
    auto_advance: stage !== 'voided' && !isPaid,
    automatically_finalizes_at: isFinal ? null : now + hour,
    billing_reason: 'subscription_cycle',
    collection_method: 'charge_automatically',
    created: now,
    currency: 'eur',
    customer: `cus_${tag}`,
    description: null,
    discounts: [],
    due_date: null,
    effective_at: isFinal ? now : null,
    ending_balance: isFinal ? 0 : null,
    lines: { object: 'list', data: [line(tag, now)], has_more: false, url: `/v1/invoices/in_${tag}/lines` },
    livemode: false,
    metadata: {},
    next_payment_attempt: stage === 'payment_failed' ? now + 3 * day : null,
    number: isFinal ? `${tag.slice(0, 8).toUpperCase()}-0001` : null,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: {}, subscription: `sub_${tag}` },
    },
    period_end: now,
    period_start: now - 30 * day,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    starting_balance: 0,
    status: statusOf[stage],
    status_transitions: {
      finalized_at: isFinal ? now : null,
      marked_uncollectible_at: null,
      paid_at: isPaid ? now : null,
      voided_at: stage === 'voided' ? now : null,
    },
    subtotal: netCents,
    subtotal_excluding_tax: netCents,
    total: totalCents,
    total_excluding_tax: netCents,
    total_taxes: [tax(tag)],
  };
}

function line(tag: string, now: number): JsonValue {
  return {
    id: `il_${tag}`,
    object: 'line_item',
    amount: netCents,
    currency: 'eur',
    description: '2 × Pro (at €19.00 / month)',
    discountable: true,
    invoice: `in_${tag}`,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        subscription: `sub_${tag}`,
        subscription_item: `si_${tag}`,
      },
    },
    period: { start: now, end: now + 30 * day },
    pricing: {
      type: 'price_details',
      price_details: { price: 'price_ProMonthly', product: 'prod_Pro' },
      unit_amount_decimal: '1900',
    },
    quantity: 2,
    subtotal: netCents,
    taxes: [tax(tag)],
  };
}

function tax(tag: string): JsonValue {
  return {
    amount: taxCents,
    tax_behavior: 'exclusive',
    tax_rate_details: { tax_rate: `txr_${tag}` },
    taxability_reason: 'standard_rated',
    taxable_amount: netCents,
    type: 'tax_rate_details',
  };
}

const statusOf: Readonly<Record<InvoiceStage, string>> = {
  created: 'draft',
  finalized: 'open',
  paid: 'paid',
  payment_failed: 'open',
  voided: 'void',
};

// Two seats at 19.00 and 19 % tax.
const netCents = 3800;
const taxCents = 722;
const totalCents = netCents + taxCents;
const hour = 3600;
const day = 24 * hour;
