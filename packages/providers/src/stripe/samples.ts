import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';
import { type InvoiceStage, sampleInvoice } from './sample-invoice.ts';
import { sampleInvoiceOf2020 } from './sample-invoice-of-2020.ts';

/**
 * One invoice of a subscription on its way, in the API's shape of today, and a paid one of an account whose API version is
 * older than 2025-03-31. Written for Mailroom from Stripe's API reference; amounts add up.
 */
export const samples: Readonly<Record<string, Sample>> = {
  'invoice.created': invoiceEvent('invoice.created', 'created'),
  'invoice.finalized': invoiceEvent('invoice.finalized', 'finalized'),
  'invoice.paid': invoiceEvent('invoice.paid', 'paid'),
  'invoice.payment_failed': invoiceEvent('invoice.payment_failed', 'payment_failed'),
  'invoice.voided': invoiceEvent('invoice.voided', 'voided'),
  'invoice.paid.2020-03-02': {
    eventType: 'invoice.paid',
    body: (values) => snapshotEvent(values, 'invoice.paid', '2020-03-02', sampleInvoiceOf2020(values)),
  },
};

function invoiceEvent(eventType: string, stage: InvoiceStage): Sample {
  return {
    eventType,
    body: (values) => snapshotEvent(values, eventType, '2026-10-28.endive', sampleInvoice(values, stage)),
  };
}

function snapshotEvent(values: SampleValues, type: string, apiVersion: string, object: JsonValue): JsonValue {
  const [version = ''] = apiVersion.split('.');
  return {
    id: `evt_${values.tag}_${type.replaceAll('.', '_')}_${version.replaceAll('-', '')}`,
    object: 'event',
    api_version: apiVersion,
    created: Math.floor(values.nowMs / 1000),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
}
