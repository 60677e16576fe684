import type { RawRequest } from '../src/provider.ts';

/** A request with one line a header, or several where a list is given. */
export function request(body: Buffer, headers: Readonly<Record<string, string | readonly string[]>>): RawRequest {
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()] as const);
  return { body, headers: new Map(lines) };
}
