import { Agent, request } from 'node:http';
import { createMetrics, startAdminServer } from '@mailroom/observability';
import { afterEach, describe, expect, test } from 'vitest';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('the admin server', () => {
  test('a scrape over HTTP reads the registry', async () => {
    const metrics = createMetrics();
    metrics.claimed.add({}, 3);
    const { port } = await start({ metrics });
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toContain('mailroom_events_claimed_total 3');
  });

  test('HEAD is answered like GET, without a body', async () => {
    const { port } = await start();
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('6');
    expect(await response.text()).toBe('');
  });

  test('a port that is taken is a coded error that names the setting', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toMatchObject({
      code: 'admin_port_unavailable',
      message: expect.stringContaining('ADMIN_PORT'),
    });
  });

  test('closing ends connections that are kept alive, and may be repeated', async () => {
    const server = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closers.push(() => Promise.resolve(agent.destroy()));
    const connection = await keepAlive(server.port, agent);
    await server.close();
    await connection.closed;
    await server.close();
    await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow('fetch failed');
  });
});

async function start(options: { metrics?: ReturnType<typeof createMetrics>; port?: number } = {}) {
  const server = await startAdminServer({
    host: '127.0.0.1',
    port: options.port ?? 0,
    metrics: options.metrics ?? createMetrics(),
    health: { notReadyBecause: () => null },
  });
  closers.push(() => server.close());
  return server;
}

/** Makes one request and leaves its connection open; `closed` resolves when that connection has ended. */
function keepAlive(port: number, agent: Agent): Promise<{ readonly closed: Promise<void> }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly closed: Promise<void> }>();
  const client = request({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
    const closed = new Promise<void>((done) => response.socket.once('close', () => done()));
    response.resume().once('end', () => resolve({ closed }));
  });
  client.once('error', reject).end();
  return promise;
}
