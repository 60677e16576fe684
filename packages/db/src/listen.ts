import { Client } from 'pg';

export interface Listener {
  close(): Promise<void>;
}

/**
 * Listens on a channel, on a connection of its own: one from a pool goes silent when it breaks (brianc/node-postgres#967), and a pooler
 * in transaction mode passes no notifications at all. Where it fails it is tried again every half minute; polling must be enough
 * meanwhile. Also calls `onNotification` once it listens, for what was missed. Never throws. `channel` is a plain identifier.
 */
export function listen(options: {
  readonly url: string;
  readonly channel: string;
  readonly onNotification: () => void;
  readonly onProblem: (error: unknown) => void;
}): Listener {
  let closed = false;
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let connecting = connect();
  return { close };

  async function connect(): Promise<void> {
    const next = new Client({ connectionString: options.url, application_name: 'mailroom-listen', keepAlive: true });
    client = next;
    // Several of these may come for one break, and an error that nobody listens to would end the process; whichever comes first
    // arranges the next try.
    next.on('error', lost);
    next.once('end', () => lost(undefined));
    next.on('notification', options.onNotification);
    try {
      await next.connect();
      await next.query(`listen ${options.channel}`);
      options.onNotification();
    } catch (error) {
      lost(error);
    }
  }

  function lost(error: unknown): void {
    if (closed || retry) return;
    if (error !== undefined) options.onProblem(error);
    void end();
    retry = setTimeout(() => {
      retry = undefined;
      connecting = connect();
    }, retryMs);
    retry.unref();
  }

  async function close(): Promise<void> {
    closed = true;
    clearTimeout(retry);
    await connecting;
    await end();
  }

  async function end(): Promise<void> {
    await client?.end().catch(() => undefined);
  }
}

const retryMs = 30_000;
