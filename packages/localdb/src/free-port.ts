import { once } from 'node:events';
import { createServer } from 'node:net';

/** A loopback port that was free a moment ago. Another program may take it first, so whoever uses it tries again. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a listening TCP server has no port');
  return address.port;
}
