import { messageOf } from '@mailroom/kernel';
import { Stripe } from 'stripe';

/**
 * What a failed request means.
 * - `limited`: too many requests, for everybody who uses the key. It was turned away before anything began.
 * - `again`: it may or may not have happened; the same request later.
 * - `stored`: a fault of the first request with this key, repeated to us: the same key will never answer anything else.
 * - `key_refused`: our API key, or what it may do. Nothing of this message is wrong.
 * - `refused`: it did not happen, and never will as it is.
 */
export type StripeFailure =
  | { readonly kind: 'limited' | 'again'; readonly reason: string; readonly retryAfterMs: number | null }
  | { readonly kind: 'stored' | 'key_refused' | 'refused'; readonly reason: string };

/** Decides by type, status and headers; the reason names them and Stripe's request id, never a parameter's value. */
export function failureOf(error: unknown): StripeFailure {
  if (!(error instanceof Stripe.errors.StripeError))
    return { kind: 'again', reason: messageOf(error), retryAfterMs: null };
  const headers = (error.headers ?? {}) as Readonly<Record<string, string>>;
  const reason = reasonOf(error);
  const again = { kind: 'again', reason, retryAfterMs: secondsOf(headers['retry-after']) } as const;
  if (error instanceof Stripe.errors.StripeRateLimitError) {
    // Another request holds the lock of this one object: nobody else need wait (docs.stripe.com/rate-limits).
    return error.code === 'lock_timeout' ? again : { ...again, kind: 'limited' };
  }
  if (error.statusCode === undefined || error.statusCode === 409) return again;
  if (error.statusCode >= 500) return headers['idempotent-replayed'] === 'true' ? { kind: 'stored', reason } : again;
  if (headers['stripe-should-retry'] === 'true') return again;
  if (error.statusCode === 401) return { kind: 'key_refused', reason };
  // An account that took its connection back is this message's own trouble; a right that the key lacks is not.
  if (error.statusCode === 403 && error.code !== 'account_invalid') return { kind: 'key_refused', reason };
  return { kind: 'refused', reason };
}

function reasonOf(error: Stripe.errors.StripeError): string {
  const { statusCode, rawType, code, param, requestId } = error;
  if (statusCode === undefined) return `no answer from Stripe: ${error.message}`;
  const about = [rawType, code, param && `parameter ${param}`, requestId && `request ${requestId}`].filter(Boolean);
  return `Stripe answered ${statusCode}: ${about.join(', ')}`;
}

function secondsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,5}$/.test(header) ? Number(header) * 1_000 : null;
}
