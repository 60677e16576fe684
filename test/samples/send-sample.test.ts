import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProvider, readHeaders, schemeOf } from '@mailroom/providers';
import { expect, it, onTestFinished } from 'vitest';
import { startProcess } from '../support/start-process.ts';

const square = findProvider('square');
const [secret = ''] = square?.example.secrets ?? [];
const options = square?.example.options ?? {};

it('a sample is posted as its provider would, under the secret and the options of the endpoint', async () => {
  const receiver = await startReceiver();
  const { code, lines } = await runSample(['square', 'payment.updated', '--url', receiver.url, '--tag', 'T1']);
  expect(lines.join('\n')).toContain('200  square/payments  payment.updated');
  expect(code).toBe(0);
  const [received] = receiver.requests;
  expect(received?.path).toBe('/webhooks/square/payments');
  const request = { body: received?.body ?? Buffer.of(), headers: readHeaders(received?.rawHeaders ?? []) };
  const verification = await schemeOf('square', options).verify(request, [{ label: 'only', value: secret }], {
    nowMs: Date.now(),
    toleranceMs: 300_000,
  });
  expect(verification).toEqual({ outcome: 'verified', secretLabel: 'only' });
});

it.each([
  [['square', 'nothing.like.it'], 'There is no sample "nothing.like.it", but payment.updated'],
  [['github', 'push'], 'The endpoints file has no endpoint github, but square/payments'],
])('%j is a mistake, and the message says what there is', async (args, expected) => {
  const { code, lines } = await runSample(args);
  expect(code).toBe(2);
  expect(lines.join('\n')).toContain(expected);
});

async function runSample(args: readonly string[]) {
  const home = mkdtempSync(join(tmpdir(), 'mailroom-sample-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const endpoints = [{ provider: 'square', endpoint: 'payments', secrets: ['env:SQUARE_KEY'], options }];
  const file = join(home, 'mailroom.endpoints.json');
  writeFileSync(file, JSON.stringify({ endpoints }));
  const started = startProcess({
    script: 'test/samples/send-sample.ts',
    args,
    env: { MAILROOM_HOME: home, MAILROOM_ENDPOINTS_FILE: file, SQUARE_KEY: secret },
  });
  const { code } = await started.exited;
  return { code, lines: started.lines };
}

async function startReceiver() {
  const requests: { path: string; rawHeaders: readonly string[]; body: Buffer }[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      requests.push({ path: incoming.url ?? '', rawHeaders: incoming.rawHeaders, body: Buffer.concat(chunks) });
      outgoing.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
