import type { LogFields } from '@mailroom/kernel';
import type { Scrub } from './scrub.ts';

/**
 * The fields of a log line as they may be written: names that speak of secrets or payloads redacted, texts scrubbed, errors
 * reduced, size and depth bounded, everything representable in JSON. A field cannot stand in for what the logger itself
 * writes; it then ends with an underscore.
 */
export function cleanFields(fields: LogFields, scrub: Scrub): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const name = reserved.has(key) ? `${key}_` : scrub(key);
    cleaned[name] = cleanField(key, value, scrub, 0);
  }
  return cleaned;
}

const reserved = new Set(['level', 'time', 'name', 'pid', 'host', 'event']);
const maxDepth = 5;
const maxItems = 50;

function cleanField(key: string, value: unknown, scrub: Scrub, depth: number): unknown {
  if (value === null || value === undefined) return value;
  return isSensitive(key) ? '[redacted]' : clean(value, scrub, depth);
}

function isSensitive(key: string): boolean {
  const plain = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (harmless.has(plain)) return false;
  return wholeNames.has(plain) || sensitivePart.test(plain);
}

// A label names a secret without being one.
const harmless = new Set(['secretlabel', 'secretlabels']);
const wholeNames = new Set(['body', 'rawbody', 'payload', 'header', 'headers', 'rawheaders', 'email', 'databaseurl']);
const sensitivePart = /secret|signature|authorization|password|passwd|cookie|token|apikey|privatekey|credential|hmac/;

function clean(value: unknown, scrub: Scrub, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return scrub(value);
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : cleanObject(value, scrub, depth);
    default:
      // A function or a symbol says nothing in a log; undefined is left out by JSON.
      return undefined;
  }
}

function cleanObject(value: object, scrub: Scrub, depth: number): unknown {
  if (depth >= maxDepth) return '[too deep]';
  if (value instanceof Error) return cleanError(value, scrub, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => clean(item, scrub, depth + 1));
  if (hasToJson(value)) return clean(value.toJSON(), scrub, depth + 1);
  const entries = Object.entries(value).slice(0, maxItems);
  return Object.fromEntries(entries.map(([key, inner]) => [scrub(key), cleanField(key, inner, scrub, depth + 1)]));
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** What of an error may be printed. PostgreSQL's `detail` and `where` quote row values, so they are not among it. */
function cleanError(error: Error, scrub: Scrub, depth: number): Record<string, unknown> {
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  return {
    type: scrub(error.name),
    message: scrub(error.message),
    ...(typeof code === 'string' && { code: scrub(code) }),
    ...(typeof constraint === 'string' && { constraint: scrub(constraint) }),
    ...(typeof table === 'string' && { table: scrub(table) }),
    ...(error.stack !== undefined && { stack: scrub(error.stack) }),
    ...(error.cause !== undefined && { cause: clean(error.cause, scrub, depth + 1) }),
  };
}
