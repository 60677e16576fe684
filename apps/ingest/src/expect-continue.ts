import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` to a client that waits for it before it sends its body (RFC 9110, section 10.1.1). Called only when
 * the body is really going to be read, so that a refused upload is never asked for.
 */
export function continueIfAsked(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const asked = incoming.httpVersion === '1.1' && /^100-continue$/i.test(incoming.headers.expect ?? '');
  if (asked && !outgoing.headersSent) outgoing.writeContinue();
}
