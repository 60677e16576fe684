import type { JsonValue } from '@mailroom/kernel';
import type { SampleValues } from '../provider.ts';

/**
 * A paid invoice as the API showed it before 2025-03-31: `paid`, `subscription`, `charge` and `payment_intent` stand on the
 * invoice itself. An account keeps that shape for as long as it keeps its API version.
 */
export function sampleInvoiceOf2020({ tag, nowMs }: SampleValues): JsonValue {
  const now = Math.floor(nowMs / 1000);
  return {
    id: `in_${tag}Of2020`,
    object: 'invoice',
    amount_due: totalCents,
    amount_paid: totalCents,
    amount_remaining: 0,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    billing_reason: 'subscription_cycle',
    charge: `ch_${tag}Of2020`,
    collection_method: 'charge_automatically',
    created: now,
    currency: 'usd',
    customer: `cus_${tag}Of2020`,
    lines: { object: 'list', data: [line(tag, now)], has_more: false, url: `/v1/invoices/in_${tag}Of2020/lines` },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: `${tag.slice(0, 8).toUpperCase()}-2020`,
    paid: true,
    paid_out_of_band: false,
    payment_intent: `pi_${tag}Of2020`,
    period_end: now,
    period_start: now - 30 * day,
    starting_balance: 0,
    status: 'paid',
    status_transitions: { finalized_at: now, marked_uncollectible_at: null, paid_at: now, voided_at: null },
    subscription: `sub_${tag}Of2020`,
    subtotal: totalCents,
    tax: null,
    total: totalCents,
    total_tax_amounts: [],
  };
}

function line(tag: string, now: number): JsonValue {
  return {
    id: `il_${tag}Of2020`,
    object: 'line_item',
    amount: totalCents,
    currency: 'usd',
    description: '1 × Basic (at $12.00 / month)',
    livemode: false,
    metadata: {},
    period: { start: now, end: now + 30 * day },
    price: {
      id: 'price_BasicMonthly',
      object: 'price',
      currency: 'usd',
      product: 'prod_Basic',
      unit_amount: totalCents,
    },
    proration: false,
    quantity: 1,
    subscription: `sub_${tag}Of2020`,
    subscription_item: `si_${tag}Of2020`,
    type: 'subscription',
  };
}

const totalCents = 1200;
const day = 24 * 3600;
