import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';

export interface RequestsInFlight {
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void;
  count(): number;
  /** The newest request of a connection, unless its answer is out. */
  lastOn(socket: Duplex): HttpBindings | undefined;
  /** From now on every answer ends its connection. Resolves when no request is left. */
  finish(): Promise<void>;
}

/** Knows the requests whose answer has not yet been handed to the operating system. */
export function trackRequestsInFlight(): RequestsInFlight {
  const open = new Set<ServerResponse>();
  const newest = new WeakMap<Duplex, HttpBindings>();
  let finished: PromiseWithResolvers<void> | undefined;
  return { begin, count: () => open.size, lastOn, finish };

  function begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    open.add(outgoing);
    newest.set(incoming.socket, { incoming, outgoing });
    if (finished) outgoing.shouldKeepAlive = false;
    outgoing.once('close', () => {
      open.delete(outgoing);
      if (open.size === 0) finished?.resolve();
    });
  }

  function lastOn(socket: Duplex): HttpBindings | undefined {
    const last = newest.get(socket);
    return last && open.has(last.outgoing) ? last : undefined;
  }

  function finish(): Promise<void> {
    finished ??= Promise.withResolvers<void>();
    for (const outgoing of open) outgoing.shouldKeepAlive = false;
    if (open.size === 0) finished.resolve();
    return finished.promise;
  }
}
