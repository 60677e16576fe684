import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { addressRefused, isPublicAddress, lookupPublic } from './public-address.ts';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body, for people. */
  readonly excerpt: string;
}

export interface Poster {
  /** Posts and waits for the whole answer. Follows no redirect. Throws whatever keeps it from one. */
  post(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

/** Posts to one URL, connections kept open between messages. */
export function createPoster(options: {
  readonly url: URL;
  readonly allowPrivateAddresses: boolean;
  readonly connectTimeoutMs: number;
  /** For the whole exchange. */
  readonly timeoutMs: number;
}): Poster {
  const { url, connectTimeoutMs, timeoutMs } = options;
  const secure = url.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, keepAliveMsecs: 30_000 });
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const lookup = options.allowPrivateAddresses ? {} : { lookup: lookupPublic };
  return { post, close: () => agent.destroy() };

  async function post(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    // A literal address is connected to without a lookup.
    if (!options.allowPrivateAddresses && isIP(host) !== 0 && !isPublicAddress(host)) throw addressRefused(host);
    const first = await exchange(body, headers, signal);
    // The receiver had closed a connection that was kept open, in the very moment it was used again.
    return first === 'stale_connection' ? expectAnswer(await exchange(body, headers, signal)) : first;
  }

  function exchange(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer | 'stale_connection'> {
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent,
        ...lookup,
        signal,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      });
      const giveUp = (what: string, ms: number) =>
        setTimeout(() => request.destroy(new Error(`${what} within ${ms} ms`)), ms);
      const whole = giveUp('no answer', timeoutMs);
      let connecting: NodeJS.Timeout | undefined;
      request.once('socket', (socket) => {
        if (!socket.connecting) return;
        connecting = giveUp('no connection', connectTimeoutMs);
        socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
      });
      request.once('response', (response) => {
        readAnswer(response).then(resolve, reject);
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve('stale_connection');
        else reject(error);
      });
      request.once('close', () => {
        clearTimeout(whole);
        clearTimeout(connecting);
      });
      request.end(body);
    });
  }
}

function expectAnswer(answer: Answer | 'stale_connection'): Answer {
  if (answer === 'stale_connection') throw new Error('the connection was closed twice before there was an answer');
  return answer;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < excerptBytes) chunks.push(chunk);
    bytes += chunk.length;
    // A receiver that answers with a film is not listened to; its status is all that counts.
    if (bytes > mostBytes) {
      response.destroy();
      break;
    }
  }
  const excerpt = Buffer.concat(chunks).toString('utf8').slice(0, excerptBytes);
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], excerpt };
}

const excerptBytes = 200;
const mostBytes = 65_536;
