import type { JsonValue } from '@mailroom/kernel';
import type { SampleValues } from '../provider.ts';

/** A checkout paid by bank debit: complete at once, unpaid for days. */
export function sampleCheckout({ tag, nowMs }: SampleValues, paymentStatus: 'paid' | 'unpaid'): JsonValue {
  return {
    id: `cs_test_${tag}`,
    object: 'checkout.session',
    amount_subtotal: 4522,
    amount_total: 4522,
    client_reference_id: null,
    created: Math.floor(nowMs / 1000),
    currency: 'eur',
    customer: `cus_${tag}`,
    expires_at: Math.floor(nowMs / 1000) + 24 * 3600,
    invoice: null,
    livemode: false,
    metadata: {},
    mode: 'payment',
    payment_intent: `pi_${tag}`,
    payment_method_types: ['sepa_debit'],
    payment_status: paymentStatus,
    status: 'complete',
    subscription: null,
    url: null,
  };
}
