/**
 * What a message may say about a value of the wrong kind. A secret pasted into the wrong place must not be repeated, not
 * even in part, so only short text that could hardly be one is quoted; of anything else only the length is told.
 */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'bigint') return 'a number beyond 2^53';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return 'nothing';
  if (value === '') return 'an empty text';
  return mayBeSecret(value) ? notShown(value) : JSON.stringify(value);
}

/** All that is said of a text that may be a secret. */
export function notShown(text: string): string {
  return `a text of ${text.length} characters (not shown)`;
}

/** True for text that a message must not quote: long, or prefixed like a key, or mixed like one. */
export function mayBeSecret(text: string): boolean {
  return text.length > longestShown || looksRandom(text);
}

/** True for text that is prefixed like a key or mixed like one, however short; words of any length are none. */
export function looksRandom(text: string): boolean {
  return /^["'\s]*(whsec|sk|rk|pk|v1)[_,]/i.test(text) || mixedRun.test(text);
}

const longestShown = 24;

// Eight or more letters and digits in one piece, both kinds among them: `10seconds` is quoted as little as a key is.
const mixedRun = /(?=[A-Za-z0-9]{8})(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{8}/;
