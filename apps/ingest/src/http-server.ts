import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { answerBrokenRequest } from './broken-request.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';

export interface HttpServerOptions {
  readonly app: Hono<{ Bindings: HttpBindings }>;
  readonly requests: RequestsInFlight;
  /** From the connection or the first byte of a request to the end of its headers, milliseconds. */
  readonly headerDeadlineMs: number;
  readonly bodyDeadlineMs: number;
  /** Something that never became a request: unparsable, or too slow. */
  readonly onBroken: (status: number, code: string) => void;
}

/** Node's HTTP server around the routes, with the deadlines and the strictness that an open port needs. */
export function createHttpServer(options: HttpServerOptions): Server {
  const listener = getRequestListener(options.app.fetch, {
    // HTTP/1.0 has no Host header.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // Its clean-up drains only half a second and then resets; `send-answer.ts` does it within our own bounds.
    autoCleanupIncoming: false,
    errorHandler: () => {
      options.onBroken(400, 'bad_request_target');
      return new Response(null, { status: 400, headers: { 'Content-Length': '0', Connection: 'close' } });
    },
  });
  const server = createServer({
    headersTimeout: options.headerDeadlineMs,
    // A backstop: `read-body.ts` holds the body's own deadline, and the answer it gives needs a moment.
    requestTimeout: options.headerDeadlineMs + options.bodyDeadlineMs + 10_000,
    connectionsCheckingInterval: 250,
    // Longer than common balancers keep an idle connection (AWS ALB: 60 s), or they would write into one that we close.
    keepAliveTimeout: 75_000,
  });
  // Node passes over what comes after 2,000 headers, the signature perhaps; their size is bounded all the same (16 KB).
  server.maxHeadersCount = 0;
  // Node would end its side with the client's: a sender that half-closes after its request would never see the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', serve);
  // With a listener Node leaves "100 Continue" to us; see `expect-continue.ts`.
  server.on('checkContinue', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const hadBegun = options.requests.lastOn(socket) !== undefined;
    const status = answerBrokenRequest(error, socket, options.requests);
    // A request that had begun says by itself that its body broke off.
    if (status !== null && !hadBegun) options.onBroken(status, error.code ?? 'unknown');
  });
  return server;

  function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    options.requests.begin(incoming, outgoing);
    void listener(incoming, outgoing);
  }
}
