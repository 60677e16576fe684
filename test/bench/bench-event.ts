import { createHash, createHmac } from 'node:crypto';

/** One event of the bench, numbered. Every number is another event about another invoice. */
export interface BenchEvent {
  readonly number: number;
  readonly eventId: string;
  readonly invoiceId: string;
  /** A Stripe event of 2.5 KB. */
  readonly body: Buffer;
}

export const benchProvider = 'stripe';
export const benchEndpoint = 'billing';
export const benchEventType = 'invoice.paid';

const digits = 9;
const bodyBytes = 2_450;
const template = bodyTemplate();

/** The event of this number, the same at every call. */
export function benchEvent(number: number): BenchEvent {
  const name = String(number).padStart(digits, '0');
  const eventId = `evt_bench_${name}`;
  const invoiceId = `in_bench_${name}`;
  const body = Buffer.from(template.replace('EVENT_ID', eventId).replaceAll('INVOICE_ID', invoiceId));
  return { number, eventId, invoiceId, body };
}

/** The events from one number to before another. */
export function benchEvents(from: number, to: number): BenchEvent[] {
  return Array.from({ length: to - from }, (_, at) => benchEvent(from + at));
}

export function numberOf(eventId: string): number {
  return Number(eventId.slice(-digits));
}

/** One event in a hundred fails where the scenario says so; the same ones for every contender. */
export function isFailing(eventId: string): boolean {
  return numberOf(eventId) % 100 === 0;
}

/** How many of the events from one number to before another fail. */
export function failingAmong(from: number, to: number): number {
  return Math.ceil(to / 100) - Math.ceil(from / 100);
}

/** `Stripe-Signature`, as docs.stripe.com/webhooks#verify-manually has it. */
export function stripeSignature(body: Buffer, secret: string, atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`;
}

/** Real ids and descriptions do not compress well, so neither do these. */
function bodyTemplate(): string {
  const lines = Array.from({ length: 2 }, (_, at) => ({
    id: `il_${noise(`line ${at}`, 24)}`,
    object: 'line_item',
    amount: 1250,
    currency: 'eur',
    description: `1 × Team plan ${noise(`description ${at}`, 40)} (at €12.50 / month)`,
    metadata: { order: noise(`order ${at}`, 32), tenant: noise(`tenant ${at}`, 32) },
    period: { start: 1_790_000_000, end: 1_792_592_000 },
    price: `price_${noise(`price ${at}`, 24)}`,
    quantity: 1,
  }));
  const object = {
    id: 'INVOICE_ID',
    object: 'invoice',
    account_name: 'Zoë Müller 株式会社',
    amount_due: 2500,
    amount_paid: 2500,
    amount_remaining: 0,
    attempt_count: 1,
    billing_reason: 'subscription_cycle',
    currency: 'eur',
    customer: `cus_${noise('customer', 14)}`,
    hosted_invoice_url: `https://invoice.example.test/i/${noise('url', 60)}`,
    lines: {
      object: 'list',
      data: lines,
      has_more: false,
      total_count: lines.length,
      url: '/v1/invoices/INVOICE_ID/lines',
    },
    livemode: false,
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: `sub_${noise('subscription', 24)}` },
    },
    status: 'paid',
    total: 2500,
    metadata: { fill: '' },
  };
  const event = {
    id: 'EVENT_ID',
    object: 'event',
    api_version: '2026-07-29.dahlia',
    created: 1_790_000_000,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: benchEventType,
  };
  const missing = bodyBytes - Buffer.byteLength(JSON.stringify(event, null, 2));
  object.metadata.fill = noise('fill', Math.max(missing, 0));
  return JSON.stringify(event, null, 2);
}

function noise(seed: string, length: number): string {
  let text = '';
  for (let block = 0; text.length < length; block += 1) {
    text += createHash('sha256').update(`${seed} ${block}`).digest('base64url');
  }
  return text.slice(0, length);
}
