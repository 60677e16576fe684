import type { RawRequest } from '../provider.ts';

/** What was sent beside the body, and signed with it: the exact texts of the headers. */
export interface Message {
  readonly id: string;
  readonly timestamp: string;
}

/** The names of the headers: of the specification, or of Svix, which wrote it. */
export type Family = 'webhook' | 'svix';

/**
 * Whose headers count. The choice hangs on the id alone and is the same for verifying and reading: a captured `svix-id` with
 * its good signature beside a fresh `webhook-id` must not become a new event.
 */
export function familyOf({ headers }: RawRequest): Family {
  return headers.has('webhook-id') ? 'webhook' : 'svix';
}

/** The one value of a header; null where it is missing, empty, or several lines differ (a proxy may double one). */
export function onlyLine(request: RawRequest, name: string): string | null {
  const lines = request.headers.get(name) ?? [];
  const [first = ''] = lines;
  return first !== '' && lines.every((line) => line === first) ? first : null;
}

/** The bytes that are signed before the body. Header texts are the wire's bytes, one character each. */
export function signedPrefix({ id, timestamp }: Message): Buffer {
  return Buffer.from(`${id}.${timestamp}.`, 'latin1');
}
