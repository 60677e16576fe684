import type { RequestHeaders } from './provider.ts';

/**
 * Node's `rawHeaders` as providers read them: the lines as they came, grouped by lower-case name, in order. Node's own `headers` joins or drops repeated lines,
 * and which line carries the good signature is the provider's question (Mollie sends two during a rotation).
 * A Map, so that a header called `__proto__` is only a name.
 */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const lines = headers.get(name);
    if (lines === undefined) headers.set(name, [value]);
    else if (lines.length < maxLinesPerName) lines.push(value);
  }
  return headers;
}

/** Nobody repeats a header this often in good faith, and each line may cost a provider a comparison. */
const maxLinesPerName = 16;
