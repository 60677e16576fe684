import type { JsonValue } from '@mailroom/kernel';

/** The counterpart of `readJson`: a `bigint` becomes a JSON number with every digit. */
export function jsonBytes(value: JsonValue): Buffer {
  return Buffer.from(
    JSON.stringify(value, (_key, at: unknown) => (typeof at === 'bigint' ? JSON.rawJSON(`${at}`) : at)),
  );
}

declare global {
  interface JSON {
    /** ECMAScript 2026; in Node since version 21, not yet in TypeScript's library. */
    rawJSON(text: string): unknown;
  }
}
