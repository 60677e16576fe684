import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A load balancer on loopback: each connection goes to the next target in turn, and past one that refuses it. */
export interface Balancer {
  readonly port: number;
  /** Sends new connections for `name` to this port from now on. */
  route(name: string, port: number): void;
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const targets = new Map<string, number>();
  const clients = new Set<Socket>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    const ports = [...targets.values()];
    turn += 1;
    const inTurn = ports.map((_, n) => ports[(turn + n) % ports.length] ?? 0);
    join(client, inTurn);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening TCP server has no port');

  return {
    port: address.port,
    route: (name, port) => void targets.set(name, port),
    close: () => {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

/** Joins the client with the first of the ports that takes the connection; with none the client's is closed. */
function join(client: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined) {
    client.destroy();
    return;
  }
  const upstream = connect(port, '127.0.0.1');
  let joined = false;
  upstream.on('connect', () => {
    joined = true;
    client.pipe(upstream);
    upstream.pipe(client);
    client.on('close', () => upstream.destroy());
  });
  upstream.on('error', () => undefined);
  upstream.on('close', () => {
    if (joined) client.destroySoon();
    else join(client, others);
  });
}
