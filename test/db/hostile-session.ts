import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A server that speaks just enough of PostgreSQL's protocol to open a session and to end it in the same packet, as one does that
 * is shutting down. Messages: https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
export async function startHostileServer(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', () => client.end(Buffer.concat([authenticationOk, readyForQuery, shuttingDown])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `postgres://nobody:nothing@127.0.0.1:${port}/none`, close: () => void server.close() };
}

const authenticationOk = message('R', Buffer.from([0, 0, 0, 0]));
const readyForQuery = message('Z', Buffer.from('I'));
const shuttingDown = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
