/** A time given in Unix seconds, or null where it is none that a person or `timestamptz` could mean. */
export function timeFromSeconds(value: unknown): Date | null {
  return typeof value === 'number' ? plausible(value * 1000) : null;
}

/** A time given as an RFC 3339 text, or null. */
export function timeFromText(value: unknown): Date | null {
  return typeof value === 'string' && rfc3339.test(value) ? plausible(Date.parse(value)) : null;
}

function plausible(ms: number): Date | null {
  return ms >= 0 && ms < year10000Ms ? new Date(ms) : null;
}

// Date.parse() reads much more than RFC 3339, and differently from one JavaScript engine to the next.
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
// From here on an ISO year has five digits and many readers fail.
const year10000Ms = 253_402_300_800_000;
