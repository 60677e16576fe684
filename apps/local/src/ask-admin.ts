import { get } from 'node:http';
import { text } from 'node:stream/consumers';

/** What the admin port of a program answers to a GET. */
export interface AdminReply {
  readonly status: number;
  readonly body: string;
}

/** null: no answer. Never throws. */
export function askAdmin(host: string, port: number, path: '/readyz' | '/metrics'): Promise<AdminReply | null> {
  return new Promise((resolve) => {
    // Not fetch: it refuses some ports altogether, the way a browser does.
    const request = get(`http://${urlHost(host)}:${port}${path}`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, body }),
        () => resolve(null),
      );
    });
  });
}

/** An address as it stands in a URL; one to listen on everywhere is reached on loopback. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

// A program that does not answer within this is not well; on loopback an answer takes a millisecond.
const answerTimeoutMs = 1_000;
