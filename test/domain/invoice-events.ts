import type { JsonValue } from '@mailroom/kernel';
import type { GivenEvent } from './apply-event.ts';

type InvoiceJson = Readonly<Record<string, JsonValue>>;

export interface EventDetails {
  readonly id?: string;
  readonly endpoint?: string;
  /** Unix seconds. All events of a story share one by default, as Stripe's whole seconds let them. */
  readonly created?: number;
  /** What differs in `data.object`. */
  readonly invoice?: InvoiceJson;
}

const statusOf: Readonly<Record<string, string>> = {
  created: 'draft',
  finalized: 'open',
  payment_failed: 'open',
  paid: 'paid',
  voided: 'void',
};

/** An event about the invoice `in_1`, as Stripe's API 2026 would shape it: `invoiceEvent('paid')`. */
export function invoiceEvent(what: string, details: EventDetails = {}): GivenEvent {
  const { id = `evt_${what}`, endpoint = 'billing', created = 1_790_000_000, invoice = {} } = details;
  const object: InvoiceJson = {
    id: 'in_1',
    object: 'invoice',
    amount_due: 2500,
    amount_paid: what === 'paid' ? 2500 : 0,
    attempt_count: what === 'payment_failed' || what === 'paid' ? 1 : 0,
    currency: 'eur',
    customer: 'cus_1',
    parent: { type: 'subscription_details', subscription_details: { subscription: 'sub_1', metadata: {} } },
    status: statusOf[what] ?? null,
    ...invoice,
  };
  const eventType = `invoice.${what}`;
  return {
    event: {
      provider: 'stripe',
      endpoint,
      eventId: id,
      eventType,
      objectKey: 'invoice/in_1',
      providerTime: new Date(created * 1000),
      apiVersion: '2026-07-29.dahlia',
      account: null,
      livemode: false,
      receivedAt: new Date(created * 1000),
    },
    payload: { id, object: 'event', type: eventType, created, data: { object } },
  };
}

/** The same fact in another Event object, as Stripe sometimes makes it. */
export function twinOf(given: GivenEvent): GivenEvent {
  return { ...given, event: { ...given.event, eventId: `${given.event.eventId}_twin` } };
}
