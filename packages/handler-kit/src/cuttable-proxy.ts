import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on loopback whose wire a test can cut: the database is down, the network is gone, an answer never comes. */
export interface CuttableProxy {
  /** The target's URL, through the proxy. */
  readonly url: string;
  /** How many connections are open through it. */
  readonly connections: () => number;
  /** Back to normal: new connections are served, stalled ones go on. The state at the start. */
  readonly pass: () => Promise<void>;
  /** New connections get ECONNREFUSED; those that exist go on. */
  readonly refuse: () => Promise<void>;
  /** Ends every connection with a reset, on both sides; new ones are served unless refused. */
  readonly cut: () => void;
  /** Connections stay, new ones are accepted, and not a byte passes in either direction. */
  readonly stall: () => void;
  readonly close: () => Promise<void>;
}

export interface CuttableProxyOptions {
  /**
   * Called once a connection; what it gives is shown each chunk that the target sends and says how many of its bytes may pass.
   * Fewer than all of them: the connection is cut, as by `cut`, and the rest never arrives.
   */
  readonly watch?: () => (chunk: Buffer) => number;
}

/** Starts a proxy in front of the host and port of a URL (`postgres://` without a port: 5432). */
export async function startCuttableProxy(
  targetUrl: string,
  { watch }: CuttableProxyOptions = {},
): Promise<CuttableProxy> {
  const target = new URL(targetUrl);
  const pairs = new Set<Pair>();
  let stalled = false;

  const serve = (client: Socket) => {
    const upstream = connect(Number(target.port || '5432'), target.hostname);
    const pair = { client, upstream };
    pairs.add(pair);
    const passes = watch?.() ?? ((chunk: Buffer) => chunk.length);
    join(pair, passes, () => pairs.delete(pair));
    if (stalled) pause(pair);
  };
  let server: Server | null = await listen(0, serve);
  const port = portOf(server);

  const close = async () => {
    if (server === null) return;
    const closing = server;
    server = null;
    // Without waiting for its connections, which go on. The port is free once the handle is closed, in the next turn.
    closing.close();
    await new Promise(setImmediate);
  };
  const cut = () => {
    for (const pair of pairs) reset(pair);
    pairs.clear();
  };
  const through = new URL(targetUrl);
  through.hostname = '127.0.0.1';
  through.port = String(port);

  return {
    url: through.href,
    connections: () => pairs.size,
    pass: async () => {
      stalled = false;
      for (const pair of pairs) resume(pair);
      server ??= await listen(port, serve);
    },
    refuse: close,
    cut,
    stall: () => {
      stalled = true;
      for (const pair of pairs) pause(pair);
    },
    close: async () => {
      cut();
      await close();
    },
  };
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

function join(pair: Pair, passes: (chunk: Buffer) => number, ended: () => void): void {
  const { client, upstream } = pair;
  client.on('data', (chunk) => upstream.write(chunk));
  upstream.on('data', (chunk: Buffer) => {
    if (client.destroyed) return;
    const passing = passes(chunk);
    if (passing > 0) client.write(chunk.subarray(0, passing));
    if (passing < chunk.length) reset(pair);
  });
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.on('error', () => undefined);
    // A half-open connection would outlive its other end; what was written to it still goes out first.
    from.on('close', () => {
      to.destroySoon();
      ended();
    });
  }
}

function reset({ client, upstream }: Pair): void {
  client.resetAndDestroy();
  upstream.resetAndDestroy();
}

function pause({ client, upstream }: Pair): void {
  client.pause();
  upstream.pause();
}

function resume({ client, upstream }: Pair): void {
  client.resume();
  upstream.resume();
}

async function listen(port: number, serve: (client: Socket) => void): Promise<Server> {
  const server = createServer(serve).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening TCP server has no port');
  return address.port;
}
