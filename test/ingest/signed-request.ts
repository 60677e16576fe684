import { randomUUID } from 'node:crypto';
import { schemeOf } from '@mailroom/providers';

/** The endpoints that every ingestor of these tests has, and their secrets. */
export const billingSecret = 'whsec_test0billing0secret0of0the0ingest0tests';
export const retiredSecret = 'whsec_test0retired0secret0of0the0ingest0tests';
export const connectSecret = 'whsec_test0connect0secret0of0the0ingest0tests';

export interface SignedRequest {
  readonly eventId: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** An event as Stripe would send it; `differing` is merged into its JSON. */
export function stripeEvent(differing: Readonly<Record<string, unknown>> = {}): SignedRequest {
  const eventId = `evt_${randomUUID().replaceAll('-', '')}`;
  const event = {
    id: eventId,
    object: 'event',
    api_version: '2026-01-28',
    created: 1_764_500_000,
    type: 'invoice.paid',
    livemode: false,
    data: { object: { id: 'in_1', object: 'invoice', status: 'paid', customer_name: 'Zoë 🚚' } },
    ...differing,
  };
  return { ...signed(Buffer.from(JSON.stringify(event))), eventId: event.id };
}

/** Any bytes with a good signature. */
export function signed(body: Buffer, secret = billingSecret, atMs = Date.now()): SignedRequest {
  return { eventId: '', body, headers: schemeOf('stripe').sign(body, secret, atMs)?.headers ?? {} };
}

export interface WireOptions {
  readonly path?: string;
  /** Lines to put in or to override, for example `Connection: close`. */
  readonly lines?: readonly string[];
  /** Send the body in chunks of this size and say no length. */
  readonly chunkedBy?: number;
}

/** The request byte by byte, as HTTP/1.1 and with the connection closed after it unless told otherwise. */
export function onTheWire(request: SignedRequest, options: WireOptions = {}): Buffer {
  return Buffer.concat([headOf(request, options), bodyOf(request, options)]);
}

/** Everything before the body. */
export function headOf(request: SignedRequest, options: WireOptions = {}): Buffer {
  const { path = '/webhooks/stripe/billing', lines = ['Connection: close'], chunkedBy } = options;
  const length = chunkedBy === undefined ? `Content-Length: ${request.body.length}` : 'Transfer-Encoding: chunked';
  const given = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`POST ${path} HTTP/1.1`, 'Host: mailroom.test', length, ...given, ...lines, '', ''].join('\r\n'));
}

function bodyOf(request: SignedRequest, { chunkedBy }: WireOptions): Buffer {
  if (chunkedBy === undefined) return request.body;
  const parts: Buffer[] = [];
  for (let at = 0; at < request.body.length; at += chunkedBy) {
    const chunk = request.body.subarray(at, at + chunkedBy);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
