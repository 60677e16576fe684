import { Stripe } from 'stripe';

/** Stripe's API as the effects use it. */
export interface StripeApi {
  /** `livemode` of the key; null where its name does not tell. */
  readonly livemode: boolean | null;
  /** Parameters of a GET or a DELETE go into the path. Throws the SDK's errors. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, request?: StripeRequest): Promise<StripeAnswer>;
}

export interface StripeRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly account?: string | null;
  readonly idempotencyKey?: string;
}

export interface StripeAnswer {
  readonly body: StripeObject;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the sending of the request to its answer. */
  readonly tookMs: number;
}

export type StripeObject = Readonly<Record<string, unknown>>;

/**
 * The version that requests are made in and answers are shaped by, pinned: else an upgrade of the account, made by hand in the
 * dashboard, or of the SDK would change what is sent and what comes back.
 */
export const stripeApiVersion = '2026-10-28.endive';

/**
 * Opens the API with the official SDK. Its own retries are off: it would repeat within the lease what the relay repeats after
 * it, with no look at `effect_results` between, hold a worker's place meanwhile, and answer a 429 with more calls from every
 * process at once. It still repeats a connection that was closed under a request once, with the same key.
 */
export function openStripe(options: {
  readonly apiKey: string;
  /** `http://127.0.0.1:12111`; left out: Stripe's own. */
  readonly apiBase?: string | null;
  /** One request. Default 20 s; Stripe's own longest is 80 s. */
  readonly timeoutMs?: number;
}): StripeApi {
  const stripe = new Stripe(options.apiKey, {
    apiVersion: stripeApiVersion,
    maxNetworkRetries: 0,
    timeout: options.timeoutMs ?? 20_000,
    telemetry: false,
    ...(options.apiBase && addressOf(options.apiBase)),
  });
  const [, mode] = /^[a-z]+_(live|test)_/.exec(options.apiKey) ?? [];
  return {
    livemode: mode === undefined ? null : mode === 'live',
    call: async (method, path, { params, account, idempotencyKey } = {}) => {
      const inPath = method === 'POST' ? '' : queryOf(params);
      const startedAt = performance.now();
      const body = (await stripe.rawRequest(method, `${path}${inPath}`, method === 'POST' ? { ...params } : undefined, {
        ...(account && { stripeAccount: account }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      })) as StripeObject & { readonly lastResponse: { readonly headers: Readonly<Record<string, string>> } };
      return { body, headers: body.lastResponse.headers, tookMs: performance.now() - startedAt };
    },
  };
}

function addressOf(apiBase: string) {
  const { protocol, hostname, port } = new URL(apiBase);
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const);
  return { host: hostname, protocol: scheme, port: port || (scheme === 'http' ? 80 : 443) };
}

function queryOf(params: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(params).flatMap(([name, value]) => pairsOf(name, value as QueryValue));
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

type QueryValue = string | number | boolean | null | undefined | { readonly [name: string]: QueryValue };

function pairsOf(name: string, value: QueryValue): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner));
}
