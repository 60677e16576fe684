import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';
import { sampleCheckout } from './sample-checkout.ts';
import { type InvoiceStage, sampleInvoice } from './sample-invoice.ts';
import { sampleInvoiceOf2020 } from './sample-invoice-of-2020.ts';
import { sampleDispute, sampleRefund, sampleRefundedCharge, sampleRefundedChargeOf2020 } from './sample-refund.ts';
import { type SubscriptionStage, sampleSubscription, secondsFromEnd } from './sample-subscription.ts';

/**
 * One invoice of a subscription on its way, that subscription's life, a refund, a dispute and a checkout, in the API's shape of
 * today; and an invoice and a refund of accounts whose API version is older. Written for Mailroom from Stripe's API reference;
 * amounts add up.
 */
export const samples: Readonly<Record<string, Sample>> = {
  'invoice.created': invoiceEvent('created'),
  'invoice.finalized': invoiceEvent('finalized'),
  'invoice.paid': invoiceEvent('paid'),
  'invoice.payment_failed': invoiceEvent('payment_failed'),
  'invoice.voided': invoiceEvent('voided'),
  'invoice.paid.2020-03-02': snapshotEvent('invoice.paid', sampleInvoiceOf2020, { apiVersion: '2020-03-02' }),
  'customer.subscription.created': subscriptionEvent('created'),
  'customer.subscription.trial_will_end': subscriptionEvent('trial_will_end'),
  'customer.subscription.paused': subscriptionEvent('paused'),
  'customer.subscription.resumed': subscriptionEvent('resumed'),
  'customer.subscription.updated': subscriptionEvent('updated'),
  'customer.subscription.deleted': subscriptionEvent('deleted'),
  'refund.created': snapshotEvent('refund.created', (values) => sampleRefund(values, 'pending')),
  'refund.updated': snapshotEvent('refund.updated', (values) => sampleRefund(values, 'succeeded')),
  'refund.failed': snapshotEvent('refund.failed', (values) => sampleRefund(values, 'failed')),
  'charge.refunded': snapshotEvent('charge.refunded', sampleRefundedCharge),
  'charge.refunded.2020-03-02': snapshotEvent('charge.refunded', sampleRefundedChargeOf2020, {
    apiVersion: '2020-03-02',
  }),
  'charge.dispute.created': snapshotEvent('charge.dispute.created', (values) =>
    sampleDispute(values, 'needs_response'),
  ),
  'charge.dispute.closed': snapshotEvent('charge.dispute.closed', (values) => sampleDispute(values, 'won')),
  'checkout.session.completed': snapshotEvent('checkout.session.completed', (values) =>
    sampleCheckout(values, 'unpaid'),
  ),
  'checkout.session.async_payment_succeeded': snapshotEvent('checkout.session.async_payment_succeeded', (values) =>
    sampleCheckout(values, 'paid'),
  ),
  'checkout.session.async_payment_failed': snapshotEvent('checkout.session.async_payment_failed', (values) =>
    sampleCheckout({ ...values, tag: `${values.tag}Failed` }, 'unpaid'),
  ),
};

function invoiceEvent(stage: InvoiceStage): Sample {
  return snapshotEvent(`invoice.${stage}`, (values) => sampleInvoice(values, stage));
}

function subscriptionEvent(stage: SubscriptionStage): Sample {
  return snapshotEvent(`customer.subscription.${stage}`, (values) => sampleSubscription(values, stage), {
    secondsLater: secondsFromEnd(stage),
  });
}

function snapshotEvent(
  type: string,
  objectOf: (values: SampleValues) => JsonValue,
  { apiVersion = '2026-10-28.endive', secondsLater = 0 } = {},
): Sample {
  const [version = ''] = apiVersion.split('.');
  return {
    eventType: type,
    body: (values) => ({
      id: `evt_${values.tag}_${type.replaceAll('.', '_')}_${version.replaceAll('-', '')}`,
      object: 'event',
      api_version: apiVersion,
      created: Math.floor(values.nowMs / 1000) + secondsLater,
      data: { object: objectOf(values) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    }),
  };
}
