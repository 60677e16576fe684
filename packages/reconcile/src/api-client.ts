import { setTimeout as delay } from 'node:timers/promises';
import { asObject, CodedError, type JsonValue, messageOf, readJson } from '@mailroom/kernel';

export interface ApiClientOptions {
  /** For messages: `Stripe`. */
  readonly name: string;
  readonly base: string;
  /** Sent with every request; the key is in them, so they are never shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many requests a second. */
  readonly requestsPerSecond: number;
  /** Ends waiting between requests early. */
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly body: JsonValue;
  readonly headers: Headers;
}

export interface ApiClient {
  /** `path` begins with a slash, or is a whole URL of the same origin. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
}

/**
 * Reads a provider's API: at a steady rate, again after 429 (as long as `Retry-After` says), 5xx and broken connections, six
 * times in all. Numbers stay exact: an SDK parses them into doubles, and what comes in by a sweep should be what a webhook would
 * have brought. Throws `provider_refused` (4xx: the key, mostly) or `provider_unreachable`; neither quotes the key or the answer.
 */
export function createApiClient({ name, base, headers, requestsPerSecond, signal }: ApiClientOptions): ApiClient {
  const intervalMs = 1000 / requestsPerSecond;
  let nextAtMs = 0;
  return { get };

  async function get(path: string, more: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
    const url = new URL(path, base);
    // The key goes to nobody else, whatever a list says where its next page is.
    if (url.origin !== new URL(base).origin) throw refused(`${name} names a page at another address`);
    for (let attempt = 1; ; attempt += 1) {
      await turn();
      const answer = await ask(url, more);
      if ('body' in answer) return answer;
      if (attempt === attempts) throw new CodedError('provider_unreachable', `${name}: ${answer.problem}`);
      await delay(answer.waitMs ?? Math.random() * 500 * 2 ** attempt, undefined, { ...(signal && { signal }) });
    }
  }

  async function turn(): Promise<void> {
    const now = Date.now();
    const at = Math.max(now, nextAtMs);
    nextAtMs = at + intervalMs;
    if (at > now) await delay(at - now, undefined, { ...(signal && { signal }) });
  }

  async function ask(url: URL, more: Readonly<Record<string, string>>): Promise<ApiAnswer | Again> {
    let response: Response;
    let bytes: Uint8Array;
    try {
      response = await fetch(url, {
        headers: { ...headers, ...more },
        redirect: 'manual',
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
      bytes = await response.bytes();
    } catch (error) {
      return { problem: `no answer: ${reasonOf(error)}`, waitMs: null };
    }
    const { status } = response;
    if (status === 429 || status >= 500) {
      return { problem: `it answers ${status}`, waitMs: retryAfterMs(response.headers) };
    }
    if (!response.ok) throw refused(`${name} answers ${status} to GET ${url.pathname}${hintOf(status)}`);
    const json = readJson(bytes);
    if (json.outcome === 'json') return { body: json.value, headers: response.headers };
    return { problem: `the answer cannot be read: ${json.reason}`, waitMs: null };
  }
}

export type JsonObject = { readonly [key: string]: JsonValue };

/** The objects in a list; null where it is no list. */
export function objectsIn(list: JsonValue | undefined): readonly JsonObject[] | null {
  if (!Array.isArray(list)) return null;
  return (list as readonly JsonValue[]).map(asObject).filter((item) => item !== undefined);
}

/** The text or number of a field as text; empty where it is neither. */
export function textAt(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? `${value}` : '';
}

interface Again {
  readonly problem: string;
  readonly waitMs: number | null;
}

const attempts = 6;
const requestTimeoutMs = 30_000;

function refused(message: string): CodedError {
  return new CodedError('provider_refused', message);
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return '. The key is wrong, or may not read this';
  return status >= 300 && status < 400 ? '. The address of the API is wrong' : '';
}

/** At most a minute: who asks for more is asked again by the next run. */
function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? Math.min(seconds * 1000, 60_000) : null;
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
}
