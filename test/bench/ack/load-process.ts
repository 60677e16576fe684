import { benchEvent, benchProvider, stripeSignature } from '../bench-event.ts';
import { serveTask } from '../bench-process.ts';
import { type KeptConnection, openConnection } from './kept-connection.ts';
import type { LoadJob, LoadResult } from './load-job.ts';

// Requests are made and signed beforehand, so that the generator costs the machine little while the clock runs.
serveTask<LoadResult>(async (job: LoadJob) => {
  const total = job.warm + job.count;
  const connections = await Promise.all(
    Array.from({ length: job.connections }, (_, at) => openConnection(job.ports[at % job.ports.length] ?? 0)),
  );
  const requests = Array.from({ length: total }, (_, at) => requestOf(job, at));
  const latencies = new Float64Array(job.count);
  const dueAt = new Float64Array(job.count);

  return {
    run: async (warm) => {
      let next = 0;
      await sendClosed(() => (next < job.warm ? next++ : null));
      warm();
      const startedAt = performance.now();
      if (job.perSecond === null) await sendClosed(() => (next < total ? next++ : null));
      else await sendOpen(job.perSecond);
      return { seconds: (performance.now() - startedAt) / 1000, latencies, dueAt };
    },
    close: () => {
      for (const connection of connections) connection.close();
      return Promise.resolve();
    },
  };

  async function sendClosed(take: () => number | null): Promise<void> {
    await Promise.all(
      connections.map(async (connection) => {
        for (let at = take(); at !== null; at = take()) await send(connection, at, performance.now());
      }),
    );
  }

  /** Each delivery is due at its own moment; one that finds no free connection waits, and its waiting counts. */
  async function sendOpen(perSecond: number): Promise<void> {
    const free = [...connections];
    const startedAt = performance.now();
    const due = (index: number) => startedAt + (index * 1000) / perSecond;
    const sent = Promise.withResolvers<void>();
    let next = 0;
    let open = 0;
    tick();
    await sent.promise;

    function tick(): void {
      const now = performance.now();
      for (let connection = free.at(-1); connection && next < job.count && due(next) <= now; connection = free.at(-1)) {
        free.pop();
        start(connection, next).catch(sent.reject);
        next += 1;
      }
      if (next < job.count) setTimeout(tick, Math.max(0, due(next) - performance.now()));
    }

    async function start(connection: KeptConnection, index: number): Promise<void> {
      open += 1;
      await send(connection, job.warm + index, due(index));
      free.push(connection);
      open -= 1;
      if (next === job.count && open === 0) sent.resolve();
    }
  }

  async function send(connection: KeptConnection, at: number, dueMs: number): Promise<void> {
    const request = requests[at];
    if (!request) throw new Error(`there is no request ${at}`);
    const status = await connection.exchange(request);
    if (status !== 200) throw new Error(`delivery ${at} was answered ${status}`);
    const index = at - job.warm;
    if (index < 0) return;
    latencies[index] = performance.now() - dueMs;
    dueAt[index] = performance.timeOrigin + dueMs;
  }
});

function requestOf({ endpoints, secret, from }: LoadJob, at: number): Buffer {
  const { body } = benchEvent(from + at);
  const head = [
    `POST /webhooks/${benchProvider}/${endpoints[at % endpoints.length]} HTTP/1.1`,
    'Host: bench.test',
    'User-Agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `Stripe-Signature: ${stripeSignature(body, secret, Date.now())}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}
