import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection that is kept open, one request at a time; as cheap as it can be, for it shares the cores with the server. */
export interface KeptConnection {
  /** Sends a request and resolves with the status of its answer. Rejects when the connection closes before. */
  exchange(request: Buffer): Promise<number>;
  close(): void;
}

export async function openConnection(port: number): Promise<KeptConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let waiting: PromiseWithResolvers<number> | undefined;
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/^content-length: (\d+)$/im.exec(received.slice(0, headEnd))?.[1] ?? 0);
    if (received.length < headEnd + 4 + length) return;
    const status = Number(received.slice(9, 12));
    received = '';
    waiting?.resolve(status);
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  return {
    exchange: (request) => {
      waiting = Promise.withResolvers<number>();
      socket.write(request);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
