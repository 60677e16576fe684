import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Webhooks } from './answer-webhook.ts';
import { expressServer } from './express-server.ts';
import { fastifyServer } from './fastify-server.ts';
import { honoServer } from './hono-server.ts';

export interface EmbeddedServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Every documented way to embed, each on a free port of the loopback. */
export const embeddedServers: Readonly<Record<string, (webhooks: Webhooks) => Promise<EmbeddedServer>>> = {
  Hono: (webhooks) => listen(createAdaptorServer(honoServer(webhooks))),
  Express: (webhooks) => listen(createServer(expressServer(webhooks))),
  Fastify: async (webhooks) => {
    const app = fastifyServer(webhooks);
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    return { port: Number(new URL(address).port), close: () => app.close() };
  },
};

async function listen(server: Server): Promise<EmbeddedServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
