import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CodedError, messageOf } from '@mailroom/kernel';
import { type AdminHealth, adminAnswer } from './admin-answer.ts';
import type { Metrics } from './metrics.ts';

export interface AdminServerOptions {
  /** Loopback unless a scraper comes from elsewhere: whoever reaches it reads the metrics. */
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly health: AdminHealth;
}

export interface AdminServer {
  readonly host: string;
  /** The port that was taken. */
  readonly port: number;
  /** Stops listening and ends its connections. Resolves when all are closed; calling it again is harmless. */
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`, `/healthz` and `/readyz` on a port of its own, apart from public traffic. Throws
 * `admin_port_unavailable` where it cannot listen.
 */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createServer({ headersTimeout: clientPatienceMs, requestTimeout: clientPatienceMs });
  server.on('request', (request, response) => void respond(request, response, options));
  server.maxConnections = maxConnections;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return { host: options.host, port, close: () => close(server) };
}

async function respond(request: IncomingMessage, response: ServerResponse, options: AdminServerOptions): Promise<void> {
  // Nothing here reads a body; resuming it keeps the connection usable.
  request.resume();
  const { status, headers, body } = await adminAnswer(request.method ?? 'GET', request.url ?? '/', options);
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A scraper and a health check need a handful; more is a mistake or a nuisance. */
const maxConnections = 50;
const clientPatienceMs = 5000;

function listen(server: Server, { host, port }: AdminServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) => {
    const message = `cannot listen on ${host}:${port} (ADMIN_PORT): ${messageOf(error)}`;
    reject(new CodedError('admin_port_unavailable', message, { cause: error }));
  });
  server.listen(port, host, resolve);
  return promise;
}

function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Its only error is "not running", which is what was wanted.
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}
