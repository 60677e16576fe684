import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';
import { waitFor } from './wait-for.ts';

describe('the cuttable proxy', () => {
  let target: Server;
  let targetUrl: string;
  let proxy: CuttableProxy;
  const targetSockets = new Set<Socket>();
  const clients = new Set<Socket>();

  beforeEach(async () => {
    target = createServer((socket) => {
      targetSockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => targetSockets.delete(socket));
      socket.on('data', (chunk) => socket.write(`echo ${chunk.toString()}`));
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const address = target.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    targetUrl = `postgres://ada:secret@127.0.0.1:${port}/mailroom?x=1`;
    proxy = await startCuttableProxy(targetUrl);
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    clients.clear();
    await proxy.close();
    target.close();
  });

  const open = async (url = proxy.url) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    clients.add(socket);
    await once(socket, 'connect');
    const received: string[] = [];
    socket.on('data', (chunk) => received.push(chunk.toString()));
    socket.on('error', () => undefined);
    return { socket, received };
  };

  it('changes nothing of the URL but host and port', () => {
    const { username, password, pathname, search, hostname } = new URL(proxy.url);
    expect({ username, password, pathname, search, hostname }).toEqual({
      username: 'ada',
      password: 'secret',
      pathname: '/mailroom',
      search: '?x=1',
      hostname: '127.0.0.1',
    });
  });

  it('passes bytes in both directions', async () => {
    const { socket, received } = await open();
    socket.write('one');
    await waitFor('the echo', () => received.join('') === 'echo one');
    expect(proxy.connections()).toBe(1);
  });

  it('refuses new connections and lets existing ones go on, until it passes again', async () => {
    const existing = await open();
    await proxy.refuse();
    await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    existing.socket.write('still here');
    await waitFor('the echo', () => existing.received.join('') === 'echo still here');
    await proxy.pass();
    const next = await open();
    next.socket.write('back');
    await waitFor('the echo', () => next.received.join('') === 'echo back');
  });

  it('cuts what exists with a reset on both sides, and serves new connections', async () => {
    const { socket, received } = await open();
    socket.write('one');
    await waitFor('the echo', () => received.length > 0);
    const reset = new Promise((resolve) => socket.once('error', resolve));
    proxy.cut();
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    await waitFor('the target to lose its connection', () => targetSockets.size === 0);
    expect(proxy.connections()).toBe(0);
    const next = await open();
    next.socket.write('two');
    await waitFor('the echo', () => next.received.join('') === 'echo two');
  });

  it('holds every byte while it stalls, of new connections too, and delivers all of them afterwards', async () => {
    const existing = await open();
    existing.socket.write('one');
    await waitFor('the echo', () => existing.received.length > 0);
    proxy.stall();
    const fresh = await open();
    existing.socket.write('two');
    fresh.socket.write('three');
    // A round trip past the proxy is time enough for these bytes to have come through it.
    const direct = await open(targetUrl);
    direct.socket.write('direct');
    await waitFor('the direct echo', () => direct.received.join('') === 'echo direct');
    expect(existing.received.join('')).toBe('echo one');
    expect(fresh.received).toEqual([]);
    await proxy.pass();
    await waitFor('what was held', () => existing.received.join('') === 'echo oneecho two');
    await waitFor('what was held', () => fresh.received.join('') === 'echo three');
  });

  it('delivers the last words of a target that closes', async () => {
    target.removeAllListeners('connection');
    target.on('connection', (socket) => socket.end('x'.repeat(1_000_000)));
    const { socket, received } = await open();
    await once(socket, 'close');
    expect(received.join('')).toHaveLength(1_000_000);
  });

  it('delays bytes and keeps their order, also when it becomes quick again', async () => {
    const { socket, received } = await open();
    const writtenAtMs = performance.now();
    proxy.slow(50);
    socket.write('one ');
    await waitFor('the proxy to have the first bytes', () => socket.writableLength === 0);
    await waitFor('the first echo', () => received.join('').includes('one'));
    // Never sooner: a timer may be late, not early.
    expect(performance.now() - writtenAtMs).toBeGreaterThanOrEqual(99);
    socket.write('two ');
    proxy.slow(0);
    socket.write('three');
    await waitFor('the other echoes', () => /two .*three/.test(received.join('')));
  });

  it('takes new connections to another target, and leaves the others where they are', async () => {
    const before = await open();
    const other = createServer((socket) => socket.end('other')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    proxy.retarget(`postgres://127.0.0.1:${port}/mailroom`);
    const after = await open();
    before.socket.write('still here');
    await waitFor('both targets to answer', () => before.received.length + after.received.length === 2);
    expect([before.received, after.received]).toEqual([['echo still here'], ['other']]);
    other.close();
  });
});
