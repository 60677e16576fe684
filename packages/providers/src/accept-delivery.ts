import { inflated } from './inflate.ts';
import type {
  CertificateSource,
  NamedEvent,
  RawRequest,
  Reading,
  Rejection,
  Scheme,
  Secret,
  VerifyOptions,
} from './provider.ts';
import { contentTypeOf, storedHeaders } from './stored-headers.ts';

/** An endpoint that takes deliveries. `schemeOf` gives the scheme. */
export interface AcceptingEndpoint {
  readonly provider: string;
  readonly endpoint: string;
  readonly scheme: Scheme;
  readonly secrets: readonly Secret[];
  /** How far a signed timestamp may lie in the past or in the future, milliseconds. */
  readonly toleranceMs: number;
  /** What a compressed body may inflate to; 1 MiB where it is left out. */
  readonly maxBodyBytes?: number;
}

/** A verified delivery with its events, in the shape that the inbox takes. */
export interface AcceptedDelivery {
  readonly provider: string;
  readonly endpoint: string;
  readonly body: Buffer;
  readonly contentType: string | null;
  /** Those of the allow-list. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secretLabel: string;
  readonly origin: 'webhook';
  readonly events: readonly AcceptedEvent[];
}

export interface AcceptedEvent extends Omit<NamedEvent, 'unreadable'> {
  /** Why it cannot be read; null: it can. */
  readonly quarantineReason: string | null;
}

/** What one request is received with. */
export interface ReceiptContext {
  /** Wall clock at receipt, Unix milliseconds. */
  readonly nowMs: number;
  /** Fresh for every request. */
  readonly deliveryId: string;
  /** Without it, what is signed under a certificate (PayPal) is `unavailable`. */
  readonly certificates?: CertificateSource;
}

export type Acceptance =
  /** Store it, and answer once that is committed. */
  | { readonly outcome: 'accepted'; readonly delivery: AcceptedDelivery }
  /** Nothing to store: answer what it says. */
  | (Extract<Reading, { readonly outcome: 'handshake' }> & { readonly secretLabel: string })
  /** Answer 401, and say why only in the log. */
  | Rejection
  /** Answer 413: compressed, and larger than it may be. */
  | { readonly outcome: 'too_large' }
  /** Answer 503: what it takes to verify is out of reach. */
  | { readonly outcome: 'unavailable'; readonly detail: string };

/**
 * Verifies a request over its exact bytes and reads what is in it. A body that comes compressed is verified as it came, and
 * where that fails once more inflated; the bytes that verified are those of the delivery. Never throws on outside input.
 * Nothing of a request that is not accepted may be stored.
 */
export async function acceptDelivery(
  to: AcceptingEndpoint,
  asReceived: RawRequest,
  { deliveryId, ...receipt }: ReceiptContext,
): Promise<Acceptance> {
  const { provider, endpoint, scheme, secrets, toleranceMs } = to;
  const verification = await verifyEitherWay(to, asReceived, { toleranceMs, ...receipt });
  if (verification.outcome !== 'verified') return verification;

  const { request, secretLabel } = verification;
  const secret = secrets.find(({ label }) => label === secretLabel) ?? null;
  const content = scheme.read(request, { deliveryId, secret });
  if (content.outcome === 'handshake') return { ...content, secretLabel };

  const delivery: AcceptedDelivery = {
    provider,
    endpoint,
    body: request.body,
    contentType: contentTypeOf(request.headers),
    headers: storedHeaders(request.headers, scheme.readsHeaders),
    secretLabel,
    origin: 'webhook',
    events: eventsOf(content),
  };
  return { outcome: 'accepted', delivery };
}

async function verifyEitherWay(
  { scheme, secrets, maxBodyBytes = 1_048_576 }: AcceptingEndpoint,
  asReceived: RawRequest,
  options: VerifyOptions,
) {
  const first = await scheme.verify(asReceived, secrets, options);
  if (first.outcome === 'verified') return { ...first, request: asReceived };
  // Where only the time is wrong, these are the signed bytes.
  if (first.outcome !== 'rejected' || first.skewMs !== undefined) return first;
  const request = await inflated(asReceived, maxBodyBytes);
  if (request === 'too_large') return { outcome: 'too_large' } as const;
  if (request === null) return first;
  const second = await scheme.verify(request, secrets, options);
  return second.outcome === 'verified' ? { ...second, request } : second;
}

/** A delivery as it is stored: it was verified when it came. */
export interface StoredRequest {
  readonly deliveryId: string;
  readonly body: Buffer;
  /** Those of the allow-list. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads a stored delivery as its scheme does today, for one that could not be read when it came. No events: there was nothing
 * in it to store. Never throws on outside input.
 */
export function readAgain(
  scheme: Scheme,
  { deliveryId, body, headers }: StoredRequest,
):
  | { readonly outcome: 'events'; readonly events: readonly AcceptedEvent[] }
  | { readonly outcome: 'unreadable'; readonly reason: string } {
  const lines = new Map(Object.entries(headers).map(([name, line]) => [name, [line]] as const));
  const content = scheme.read({ body, headers: lines }, { deliveryId, secret: null });
  if (content.outcome === 'unreadable') return content;
  return { outcome: 'events', events: content.outcome === 'handshake' ? [] : eventsOf(content) };
}

/**
 * A delivery that verified but cannot be read becomes one quarantined event: the provider did send it, so it is kept and
 * acknowledged, and read again once the reader is mended.
 */
function eventsOf(content: Exclude<Reading, { readonly outcome: 'handshake' }>): readonly AcceptedEvent[] {
  if (content.outcome === 'unreadable') return [{ ...content.event, quarantineReason: content.reason }];
  return content.events.map(({ unreadable = null, ...event }) => ({ ...event, quarantineReason: unreadable }));
}
