import type { Server } from 'node:http';
import { CodedError, messageOf } from '@mailroom/kernel';

/** Starts listening and resolves with the port that was taken. Throws `port_unavailable`. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  const listening = Promise.withResolvers<void>();
  server.once('error', (error) => {
    const message = `cannot listen on ${host}:${port} (PORT): ${messageOf(error)}`;
    listening.reject(new CodedError('port_unavailable', message, { cause: error }));
  });
  server.listen({ host, port, backlog }, listening.resolve);
  await listening.promise;
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** A provider that replays an outage opens hundreds of connections at once. The kernel caps it (net.core.somaxconn). */
const backlog = 4_096;
