import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Answer } from './answer.ts';
import { createUploadDrain } from './drain-upload.ts';

/**
 * Writes an answer whole: status, headers and, where there is one, the body. When part of the request is still to come the
 * answer goes out at once, the rest is drained within bounds, and only then is the connection closed.
 */
export type SendAnswer = (exchange: HttpBindings, answer: Answer) => void;

/** A sender whose drains share one pace. */
export function createAnswerSender(): SendAnswer {
  const drainUpload = createUploadDrain();

  return ({ incoming, outgoing }, answer) => {
    if (outgoing.headersSent || outgoing.destroyed) return;
    const body = answer.body ?? '';
    const unread = isUnread(incoming);
    if (unread) outgoing.shouldKeepAlive = false;
    outgoing.writeHead(answer.status, {
      ...(body === '' ? {} : { 'Content-Type': 'text/plain; charset=utf-8' }),
      // Without it Node would send an empty chunked body.
      'Content-Length': Buffer.byteLength(body),
      ...answer.headers,
    });
    if (!unread) {
      outgoing.end(body);
      return;
    }
    // The client has its whole answer now; ending the response would close the connection under its upload.
    outgoing.flushHeaders();
    if (body !== '') outgoing.write(body);
    void drainUpload(incoming).then(() => outgoing.end());
  };
}

function isUnread(incoming: IncomingMessage): boolean {
  if (incoming.readableEnded) return false;
  return incoming.headers['transfer-encoding'] !== undefined || Number(incoming.headers['content-length'] ?? 0) > 0;
}
