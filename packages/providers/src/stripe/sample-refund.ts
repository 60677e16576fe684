import type { JsonValue } from '@mailroom/kernel';
import type { SampleValues } from '../provider.ts';

/** A refund of a part of the sample charge, as the API shows it. */
export function sampleRefund({ tag, nowMs }: SampleValues, status: 'pending' | 'succeeded' | 'failed'): JsonValue {
  return {
    id: `re_${tag}`,
    object: 'refund',
    amount: refundedCents,
    balance_transaction: `txn_${tag}`,
    charge: `ch_${tag}`,
    created: Math.floor(nowMs / 1000),
    currency: 'eur',
    failure_reason: status === 'failed' ? 'expired_or_canceled_card' : null,
    metadata: {},
    payment_intent: `pi_${tag}`,
    reason: 'requested_by_customer',
    receipt_number: null,
    status,
  };
}

/** The charge of which a part was refunded. Since API version 2022-11-15 it does not list its refunds. */
export function sampleRefundedCharge(values: SampleValues): JsonValue {
  return {
    id: `ch_${values.tag}`,
    object: 'charge',
    amount: chargedCents,
    amount_captured: chargedCents,
    amount_refunded: refundedCents,
    captured: true,
    created: Math.floor(values.nowMs / 1000),
    currency: 'eur',
    customer: `cus_${values.tag}`,
    disputed: false,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: `pi_${values.tag}`,
    refunded: false,
    status: 'succeeded',
  };
}

/** Another charge, wholly refunded at once, as API versions before 2022-11-15 show it: with its refunds. */
export function sampleRefundedChargeOf2020(values: SampleValues): JsonValue {
  const tag = `${values.tag}Of2020`;
  const refund = sampleRefund({ ...values, tag }, 'succeeded');
  return {
    ...(sampleRefundedCharge({ ...values, tag }) as object),
    amount: refundedCents,
    amount_captured: refundedCents,
    refunded: true,
    refunds: { object: 'list', data: [refund], has_more: false, total_count: 1, url: `/v1/charges/ch_${tag}/refunds` },
  };
}

/** What the customer disputes of the charge. */
export function sampleDispute({ tag, nowMs }: SampleValues, status: 'needs_response' | 'won'): JsonValue {
  return {
    id: `dp_${tag}`,
    object: 'dispute',
    amount: chargedCents - refundedCents,
    charge: `ch_${tag}`,
    created: Math.floor(nowMs / 1000),
    currency: 'eur',
    evidence_details: { due_by: Math.floor(nowMs / 1000) + 9 * 24 * 3600, has_evidence: status === 'won' },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: `pi_${tag}`,
    reason: 'product_not_received',
    status,
  };
}

// The sample invoice's total, and one of its two seats.
const chargedCents = 4522;
const refundedCents = 2261;
