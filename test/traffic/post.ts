import http from 'node:http';
import https from 'node:https';

/** What came back: the status, or 'no answer: ...' where the exchange broke. */
export type Answer = number | `no answer: ${string}`;

/** Posts the exact bytes. Every call in flight has a connection of its own; idle ones are used again. */
export function post(url: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve) => {
    const broken = (error: Error): void => resolve(`no answer: ${reasonOf(error)}`);
    // Not fetch: it refuses some ports altogether, the way a browser does.
    const client = url.startsWith('https:') ? https : http;
    const request = client.request(url, {
      agent: client === https ? httpsAgent : httpAgent,
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length, ...headers },
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    request.on('error', broken);
    request.on('response', (response) => {
      response.on('error', broken);
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    request.end(body);
  });
}

function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `none within ${answerTimeoutMs / 1000} s`;
  // Where several addresses were tried the message is empty.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

const httpAgent = new http.Agent({ keepAlive: true });
const httpsAgent = new https.Agent({ keepAlive: true });

// Stripe's own sender gives up after some 20 to 30 seconds; nothing here should come near it.
const answerTimeoutMs = 30_000;
