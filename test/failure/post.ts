import { Agent, request } from 'node:http';
import { signStripe } from '../traffic/sign-stripe.ts';
import type { Answer } from './books.ts';

export interface Poster {
  /** Posts the bytes, signed now, and reads the whole answer. */
  post(port: number, body: Buffer): Promise<Answer>;
  close(): void;
}

/** Providers wait for 5 to 30 seconds; here nothing healthy takes longer than the 2 s after which an ingestor answers 503. */
const timeoutMs = 3_000;

export function createPoster(secret: string): Poster {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  return { post, close: () => agent.destroy() };

  function post(port: number, body: Buffer): Promise<Answer> {
    return new Promise((resolve) => {
      const sent = request({
        agent,
        host: '127.0.0.1',
        port,
        path: '/webhooks/stripe/billing',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          'stripe-signature': signStripe(body, secret, Date.now()),
        },
      });
      const timer = setTimeout(() => {
        resolve('timeout');
        sent.destroy();
      }, timeoutMs);
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      sent.on('error', (error: NodeJS.ErrnoException) => end(answerOf(error)));
      sent.on('response', (response) => {
        response.on('error', (error: NodeJS.ErrnoException) => end(answerOf(error)));
        response.on('end', () => end(response.complete ? (response.statusCode ?? 'broken') : 'broken'));
        response.resume();
      });
      sent.end(body);
    });
  }
}

function answerOf({ code }: NodeJS.ErrnoException): Answer {
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : 'broken';
}
