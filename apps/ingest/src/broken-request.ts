import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestsInFlight } from './requests-in-flight.ts';

/**
 * Answers bytes that Node's parser refused, or a request that did not arrive in time, and ends the connection. Returns the
 * status sent, or null where nothing could or should be said.
 *
 * Node's own answer would be written over that of an earlier request of the same connection that is still being committed,
 * and its sender would take it for its own; so earlier requests are answered first, and then the connection ends.
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  requests: RequestsInFlight,
): number | null {
  const last = requests.lastOn(socket);
  if (last?.incoming.complete) {
    last.outgoing.shouldKeepAlive = false;
    last.outgoing.once('close', () => socket.destroy());
    return null;
  }
  if (error.code === 'ECONNRESET' || !socket.writable || last?.outgoing.headersSent) {
    socket.destroy();
    return null;
  }
  const status = statusOf(error);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`, () => {
    socket.destroy();
  });
  return status;
}

function statusOf(error: NodeJS.ErrnoException): number {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    default:
      return 400;
  }
}
