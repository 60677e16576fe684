import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import type { OutgoingMessage, SendResult } from '@mailroom/outbox';
import { createHttpSink, type HttpSinkOptions } from '@mailroom/sinks';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';

const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const message: OutgoingMessage = {
  id: '42',
  topic: 'invoice.paid',
  aggregate: 'stripe:invoice:in_1',
  payload: { amount: 9_007_199_254_740_993n, text: 'ö' },
  payloadText: '{"text": "ö", "amount": 9007199254740993}',
  source: { provider: 'stripe', endpoint: 'billing', eventId: 'evt_1' },
  createdAt: new Date('2026-11-30T12:00:00.123Z'),
  attempt: 2,
  fencingToken: '7',
};

describe('the signed HTTP sink', () => {
  let receiver: HttpReceiver;
  beforeEach(async () => {
    receiver = await startHttpReceiver();
  });
  afterEach(() => receiver.close());

  it('signs so that the Standard Webhooks library accepts it with either secret, and no other', async () => {
    expect(await send()).toEqual({ outcome: 'sent', result: { status: 200 } });
    const [post] = receiver.posts;
    const headers = post?.headers as Record<string, string>;
    for (const key of keys) {
      expect(new Webhook(key.toString('base64')).verify(post?.body ?? '', headers)).toMatchObject({
        id: '42',
        type: 'invoice.paid',
        timestamp: '2026-11-30T12:00:00.123Z',
        aggregate: 'stripe:invoice:in_1',
        source: 'stripe/billing/evt_1',
      });
    }
    const stranger = new Webhook(Buffer.alloc(32, 3).toString('base64'));
    expect(() => stranger.verify(post?.body ?? '', headers)).toThrow(/signature/i);
    expect(() => new Webhook(keys[0]?.toString('base64') ?? '').verify(`${post?.body} `, headers)).toThrow(
      /signature/i,
    );
    expect(post?.body.endsWith(`,"data":${message.payloadText}}`)).toBe(true);
    expect(headers).toMatchObject({ 'mailroom-fencing-token': '7', 'mailroom-attempt': '2', 'webhook-id': '42' });
  });

  it('posts the same bytes under the same id at every attempt, over a connection that stays open', async () => {
    const sink = sinkTo({});
    await sink.send(message, new AbortController().signal);
    await sink.send({ ...message, attempt: 3, fencingToken: '8' }, new AbortController().signal);
    await sink.close?.();
    const [first, second] = receiver.posts;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.headers['mailroom-fencing-token']).toBe('8');
  });

  it('puts a prefix before the id where it is told to, in the header and in the body', async () => {
    await send({ idPrefix: 'eu-' });
    expect(receiver.posts[0]?.headers['webhook-id']).toBe('eu-42');
    expect(receiver.posts[0]?.body).toMatch(/^\{"id":"eu-42"/);
  });

  it('follows no redirect', async () => {
    const other = await startHttpReceiver();
    receiver.answer((response) => response.writeHead(307, { location: other.url }).end());
    expect(await send()).toEqual({
      outcome: 'transient',
      reason: 'answered 307, a redirect, which is not followed',
    });
    expect(other.posts).toEqual([]);
    await other.close();
  });

  it.each<[number, Record<string, string>, Partial<SendResult>]>([
    [500, {}, { outcome: 'transient', reason: 'answered 500: it broke' }],
    [429, { 'retry-after': '120' }, { outcome: 'transient', retryAfterMs: 120_000 }],
    [503, { 'retry-after': '999999' }, { outcome: 'transient', retryAfterMs: 3_600_000 }],
    [400, {}, { outcome: 'transient' }],
    [410, {}, { outcome: 'permanent', reason: 'answered 410: it broke' }],
    [204, {}, { outcome: 'sent' }],
  ])('%s %j', async (status, headers, expected) => {
    receiver.answer((response) => response.writeHead(status, headers).end(status === 204 ? '' : 'it broke'));
    expect(await send()).toMatchObject(expected);
  });

  it('waits as long as a Retry-After date says', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString();
    receiver.answer((response) => response.writeHead(503, { 'retry-after': date }).end());
    const result = await send();
    const pauseMs = result.outcome === 'transient' ? (result.retryAfterMs ?? 0) : 0;
    // The date has whole seconds, and this machine may be slow.
    expect(pauseMs).toBeGreaterThan(300_000);
    expect(pauseMs).toBeLessThanOrEqual(600_000);
  });

  it('gives up on a receiver that accepts and never answers', async () => {
    receiver.answer(() => {});
    await expect(send({ timeoutMs: 100 })).rejects.toThrow('no answer within 100 ms');
  });

  it('does not listen to an answer without end', async () => {
    receiver.answer((response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => void (response.destroyed || response.write(chunk, () => setImmediate(more)));
      more();
    });
    expect(await send()).toMatchObject({ outcome: 'sent' });
  });

  it('ends when its signal says so', async () => {
    receiver.answer(() => {});
    const stop = new AbortController();
    const sink = sinkTo({});
    const sending = sink.send(message, stop.signal);
    stop.abort();
    await expect(sending).rejects.toThrow(/abort/i);
    await sink.close?.();
  });

  it('gives up on a receiver whose TLS never begins', async () => {
    const { url, server } = await deafServer();
    await expect(send({ url: new URL(url.replace('http:', 'https:')), connectTimeoutMs: 100 })).rejects.toThrow(
      'no connection within 100 ms',
    );
    server.close();
  });

  it('says that nobody listens', async () => {
    await receiver.close();
    await expect(send()).rejects.toThrow(/ECONNREFUSED/);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0x7f.1'])(
    'connects to no private address unless it is allowed: %s',
    async (host) => {
      const url = new URL(receiver.url);
      url.hostname = host;
      await expect(send({ url, allowPrivateAddresses: false })).rejects.toMatchObject({ code: 'address_refused' });
      expect(receiver.posts).toEqual([]);
    },
  );

  it('sends nothing unsigned where no secret is valid now', async () => {
    expect(await send({ keys: () => [] })).toMatchObject({ outcome: 'transient' });
    expect(receiver.posts).toEqual([]);
  });

  function sinkTo(differing: Partial<HttpSinkOptions>) {
    return createHttpSink({
      name: 'receiver',
      url: new URL(receiver.url),
      keys: () => keys,
      idPrefix: '',
      connectTimeoutMs: 5_000,
      timeoutMs: 20_000,
      allowPrivateAddresses: true,
      giveUpOn: [410],
      ...differing,
    });
  }

  async function send(differing: Partial<HttpSinkOptions> = {}): Promise<SendResult> {
    const sink = sinkTo(differing);
    try {
      return await sink.send(message, new AbortController().signal);
    } finally {
      await sink.close?.();
    }
  }
});

/** Accepts connections and says nothing. */
async function deafServer(): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
