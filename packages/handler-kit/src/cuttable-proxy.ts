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
  /** Bytes take this many milliseconds longer in each direction from now on. 0: as at the start. */
  readonly slow: (delayMs: number) => void;
  /** New connections go to the host and port of this URL; those that exist go on. */
  readonly retarget: (targetUrl: string) => void;
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
  let target = new URL(targetUrl);
  const pairs = new Set<Pair>();
  let stalled = false;
  let delayMs = 0;

  const serve = (client: Socket) => {
    const upstream = connect(Number(target.port || '5432'), target.hostname);
    const pair = { client, upstream };
    pairs.add(pair);
    const passes = watch?.() ?? ((chunk: Buffer) => chunk.length);
    join(pair, { passes, ended: () => pairs.delete(pair), delayMs: () => delayMs });
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
    slow: (ms) => {
      delayMs = ms;
    },
    retarget: (url) => {
      target = new URL(url);
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

interface Joining {
  readonly passes: (chunk: Buffer) => number;
  readonly ended: () => void;
  readonly delayMs: () => number;
}

function join(pair: Pair, { passes, ended, delayMs }: Joining): void {
  const { client, upstream } = pair;
  const toServer = inOrder(delayMs, (chunk) => upstream.write(chunk));
  const toClient = inOrder(delayMs, (chunk) => {
    if (client.destroyed) return;
    const passing = passes(chunk);
    if (passing > 0) client.write(chunk.subarray(0, passing));
    if (passing < chunk.length) reset(pair);
  });
  client.on('data', toServer);
  upstream.on('data', toClient);
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

/** Hands chunks on after the delay, and none before an earlier one, however the delay changes. */
function inOrder(delayMs: () => number, handOn: (chunk: Buffer) => void): (chunk: Buffer) => void {
  const waiting: { readonly chunk: Buffer; readonly dueAtMs: number }[] = [];
  const handOnDue = () => {
    for (let first = waiting[0]; first; first = waiting[0]) {
      const leftMs = first.dueAtMs - performance.now();
      if (leftMs > 0) {
        setTimeout(handOnDue, leftMs);
        return;
      }
      waiting.shift();
      handOn(first.chunk);
    }
  };
  return (chunk) => {
    const ms = delayMs();
    if (waiting.length === 0 && ms === 0) {
      handOn(chunk);
      return;
    }
    waiting.push({ chunk, dueAtMs: performance.now() + ms });
    if (waiting.length === 1) handOnDue();
  };
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
