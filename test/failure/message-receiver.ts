import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { ReceivedMessage } from './checker/check-messages.ts';

/** Somebody else's server that the workers' relays send the outbox to. No fault hits it; it has moods of its own. */
export interface MessageReceiver {
  readonly url: string;
  /** What it took, in the order in which it took it. What it refused is not in here. */
  readonly received: readonly ReceivedMessage[];
  /** Requests that should not have been. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Now and then it fails before it took a message, and now and then after: the second makes a duplicate. */
const moods = { refuses: 0.02, takesAndCuts: 0.03 };
const toleranceSeconds = 300;

export async function startMessageReceiver(secret: string, random: SeededRandom): Promise<MessageReceiver> {
  const verifier = new Webhook(secret);
  const received: ReceivedMessage[] = [];
  const problems: string[] = [];
  const server = createServer((request, response) => {
    // A sender that is killed in the middle of a request breaks it off.
    take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/messages`, received, problems, close };

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    const message = verified(request.headers, body);
    const mood = random.fraction();
    if (message === null) return void response.writeHead(401).end();
    if (mood < moods.refuses) return void response.writeHead(500).end();
    received.push(message);
    if (mood < moods.refuses + moods.takesAndCuts) return void response.destroy();
    response.writeHead(204).end();
  }

  function verified(headers: IncomingHttpHeaders, body: string): ReceivedMessage | null {
    const id = String(headers['webhook-id']);
    try {
      const { type, aggregate } = verifier.verify(body, headers as Record<string, string>) as Envelope;
      return { id, topic: type, aggregate, body };
    } catch (error) {
      // The clock of its sender was moved; it is sent again when that is over, or by another.
      const skew = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']));
      if (!(skew > toleranceSeconds)) problems.push(`message ${id} cannot be verified: ${String(error)}`);
      return null;
    }
  }

  async function close(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}

interface Envelope {
  readonly type: string;
  readonly aggregate: string;
}
