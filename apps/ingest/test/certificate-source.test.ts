import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCertificateSource } from '../src/certificate-source.ts';

let answer: RequestListener;
let asked: string[];
let nowMs: number;
let origin: string;
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  answer(request, response);
});

beforeEach(async () => {
  asked = [];
  nowMs = 0;
  answer = (_request, response) => response.end('a certificate');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
});

test('a certificate is fetched once a day, however many deliveries need it at once', async () => {
  const source = newSource();
  const all = await Promise.all(Array.from({ length: 20 }, () => source.fetch(`${origin}/c`)));
  expect(new Set(all.map(String))).toEqual(new Set(['a certificate']));
  nowMs += 86_399_000;
  await source.fetch(`${origin}/c`);
  expect(asked).toEqual(['/c']);
  nowMs += 2000;
  await source.fetch(`${origin}/c`);
  expect(asked).toEqual(['/c', '/c']);
});

test('what answers anything but 200 is no certificate, and is asked again only after a moment', async () => {
  const source = newSource();
  answer = (_request, response) => response.writeHead(503).end();
  await expect(source.fetch(`${origin}/c`)).rejects.toMatchObject({ code: 'certificate_unavailable' });
  answer = (_request, response) => response.end('mended');
  await expect(source.fetch(`${origin}/c`)).rejects.toMatchObject({ code: 'certificate_unavailable' });
  expect(asked.length).toBe(1);
  nowMs += 10_001;
  expect(String(await source.fetch(`${origin}/c`))).toBe('mended');
});

test('no redirect is followed', async () => {
  answer = (request, response) => {
    if (request.url === '/c') response.writeHead(302, { location: '/elsewhere' }).end();
    else response.end('elsewhere');
  };
  await expect(newSource().fetch(`${origin}/c`)).rejects.toMatchObject({ code: 'certificate_unavailable' });
  expect(asked).toEqual(['/c']);
});

test('no more is read than a chain of certificates has', async () => {
  answer = (_request, response) => response.end(Buffer.alloc(65_537));
  await expect(newSource().fetch(`${origin}/c`)).rejects.toMatchObject({ code: 'certificate_unavailable' });
  answer = (_request, response) => response.end(Buffer.alloc(65_536));
  expect((await newSource().fetch(`${origin}/c`)).length).toBe(65_536);
});

test('a server that never answers is given up', async () => {
  answer = () => undefined;
  await expect(newSource(100).fetch(`${origin}/c`)).rejects.toMatchObject({ code: 'certificate_unavailable' });
});

test('strangers who name URLs without end cause few fetches, and lose nobody a certificate that is kept', async () => {
  const source = newSource();
  await source.fetch(`${origin}/good`);
  answer = (_request, response) => response.writeHead(404).end();
  const forged = Array.from({ length: 300 }, (_, at) => source.fetch(`${origin}/forged-${at}`));
  const outcomes = await Promise.allSettled(forged);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  for (let at = 0; at < 100; at += 1) {
    await expect(source.fetch(`${origin}/slow-${at}`)).rejects.toMatchObject({ code: 'certificate_unavailable' });
  }
  expect(asked.length).toBeLessThanOrEqual(30);
  expect(String(await source.fetch(`${origin}/good`))).toBe('a certificate');
});

test('the roots are those of Node', () => {
  expect(newSource().roots.length).toBeGreaterThan(50);
});

function newSource(timeoutMs = 2000) {
  return createCertificateSource({ timeoutMs, nowMs: () => nowMs });
}
