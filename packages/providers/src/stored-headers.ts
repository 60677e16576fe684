import type { RequestHeaders } from './provider.ts';

/**
 * The headers that are kept with a delivery: what explains the bytes, and what finds the request again in the logs of the
 * sender or of a proxy. An allow-list, because everything else may be a credential or personal data: never Authorization,
 * never cookies, never client addresses. `readsHeaders` are those a scheme finds type or id in. Signatures are left out too:
 * the label of the secret that matched says all that is needed later, and a stored signature could be replayed within its
 * tolerance by whoever reads the table.
 */
export function storedHeaders(
  headers: RequestHeaders,
  readsHeaders: readonly string[] = [],
): Readonly<Record<string, string>> {
  const stored: Record<string, string> = {};
  for (const name of [...storedNames, ...readsHeaders]) {
    const lines = headers.get(name);
    if (lines !== undefined) stored[name] = lines.join(', ').slice(0, maxValueLength);
  }
  return stored;
}

/** The declared content type, within the column's bound; null when there is none. */
export function contentTypeOf(headers: RequestHeaders): string | null {
  return headers.get('content-type')?.[0]?.slice(0, 255) ?? null;
}

const storedNames = ['content-encoding', 'content-length', 'user-agent', 'x-request-id', 'traceparent'];
const maxValueLength = 500;
