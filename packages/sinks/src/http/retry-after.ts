/**
 * The pause that a `Retry-After` header asks for, in milliseconds: seconds or a date (RFC 9110, section 10.2.3), at most an hour, so
 * that a receiver cannot silence its messages for good. Undefined where there is none, or none that can be read.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Math.min(longestMs, Number(text) * 1000);
  // A date has letters; Date.parse would take a bare number, too.
  const atMs = /[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(longestMs, Math.max(0, atMs - nowMs));
}

const longestMs = 3_600_000;
