import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { type IngestProcess, startIngest } from './ingest-process.ts';
import { countRows } from './ledger.ts';
import { talk } from './raw-http.ts';
import { onTheWire, type SignedRequest, signed, stripeEvent } from './signed-request.ts';

const secrets = {
  LIVE_TEST_SECRET: 'whsec_bGl2ZV9zZWNyZXRfb2ZfdGhlX2NsaW5pY190ZXN0',
  SANDBOX_TEST_SECRET: 'whsec_c2FuZGJveF9zZWNyZXRfb2ZfdGhlX2NsaW5pYw',
  ELSEWHERE_TEST_SECRET: 'whsec_ZWxzZXdoZXJlX3NlY3JldF9vZl90aGVfY2xpbmlj',
  OLD_TEST_SECRET: 'whsec_b2xkX3NlY3JldF9vZl90aGVfY2xpbmljX3Rlc3Rz',
  GITHUB_TEST_SECRET: 'a secret that a person chose at GitHub',
};
const live = secrets.LIVE_TEST_SECRET;

// Each endpoint has a burst of its own, so the mistakes take turns.
const spoiled = ['billing', 'billing-2', 'billing-3'];
const endpoints = [
  ...spoiled.map((endpoint) => ({
    provider: 'stripe',
    endpoint,
    secrets: [
      { label: 'live', from: 'env:LIVE_TEST_SECRET' },
      { label: 'live-2019', from: 'env:OLD_TEST_SECRET', notAfter: '2020-01-01T00:00:00Z' },
    ],
  })),
  { provider: 'stripe', endpoint: 'shop', secrets: [{ label: 'test', from: 'env:SANDBOX_TEST_SECRET' }] },
  {
    provider: 'stripe',
    endpoint: 'elsewhere',
    secrets: [{ label: 'second-account', from: 'env:ELSEWHERE_TEST_SECRET' }],
    keepRejectedBodies: true,
  },
  { provider: 'github', endpoint: 'code', secrets: ['env:GITHUB_TEST_SECRET'] },
];

let test: TestDatabase;
let ingest: IngestProcess;
beforeAll(async () => {
  test = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: test.url, endpoints, env: secrets });
});
afterAll(async () => {
  await ingest.stop();
  await test.drop();
});

/** Pretty, with CRLF, characters beyond ASCII, and slashes: something for every mistake to spoil. */
const original = Buffer.from(JSON.stringify({ ...JSON.parse(stripeEvent().body.toString()), url: 'a/b' }));
const text = original.toString();
const pretty = JSON.stringify(JSON.parse(text), null, 2);

interface Mistake {
  readonly title: string;
  /** What the provider signed, and with which key. */
  readonly sent?: Buffer;
  readonly key?: string | Buffer;
  readonly ageSeconds?: number;
  /** What arrives. */
  readonly arrives?: Buffer;
  readonly headers?: (headers: SignedRequest['headers']) => SignedRequest['headers'];
  readonly diagnosis: string;
  readonly reason?: string;
  readonly label?: string | null;
  readonly says?: RegExp;
}

const mistakes: readonly Mistake[] = [
  {
    title: 'the header is stripped by a proxy',
    headers: () => ({}),
    diagnosis: 'no_header',
    reason: 'signature_missing',
    label: null,
  },
  {
    title: 'the URL of another provider is configured there',
    headers: () => ({ 'X-Hub-Signature-256': 'sha256=00' }),
    diagnosis: 'no_header',
    reason: 'signature_missing',
    label: null,
    says: /GitHub/,
  },
  {
    title: 'the header is put in quotation marks',
    headers: () => ({ 'Stripe-Signature': '"t=1764500000"' }),
    diagnosis: 'header_malformed',
    reason: 'signature_malformed',
    label: null,
  },
  { title: 'a queue holds it back', ageSeconds: 3600, diagnosis: 'stale', reason: 'timestamp_stale', label: null },
  {
    title: 'the clock of this machine is behind',
    ageSeconds: -3600,
    diagnosis: 'from_the_future',
    reason: 'timestamp_future',
    label: null,
  },
  {
    title: 'the secret of another endpoint',
    key: secrets.ELSEWHERE_TEST_SECRET,
    diagnosis: 'other_endpoint',
    label: 'second-account',
    says: /stripe\/elsewhere/,
  },
  { title: 'the test mode secret', key: secrets.SANDBOX_TEST_SECRET, diagnosis: 'other_mode', label: 'test' },
  {
    title: 'a secret whose time is over',
    key: secrets.OLD_TEST_SECRET,
    diagnosis: 'secret_not_valid_now',
    label: 'live-2019',
  },
  {
    title: 'the secret decoded from base64',
    key: Buffer.from(live.slice('whsec_'.length), 'base64'),
    diagnosis: 'secret_decoding',
    says: /base64/,
  },
  {
    title: 'the secret without its prefix',
    key: live.slice('whsec_'.length),
    diagnosis: 'secret_decoding',
    says: /without its prefix/,
  },
  { title: 'the secret with a line break', key: `${live}\n`, diagnosis: 'secret_decoding', says: /line break/ },
  {
    title: 'a middleware parses the body and writes it again',
    sent: Buffer.from(pretty),
    diagnosis: 'body_reserialised',
    says: /2 spaces/,
  },
  {
    title: 'a middleware that escapes what is not ASCII',
    arrives: Buffer.from(text.replaceAll(/[^\0-\x7f]/g, escaped)),
    diagnosis: 'body_reserialised',
  },
  { title: 'a proxy that trims', sent: Buffer.from(`${text}\n`), diagnosis: 'body_trimmed_or_padded' },
  { title: 'a tool that adds a line break', arrives: Buffer.from(`${text}\n`), diagnosis: 'body_trimmed_or_padded' },
  {
    title: 'line ends made those of Unix',
    sent: Buffer.from(pretty.replaceAll('\n', '\r\n')),
    arrives: Buffer.from(pretty),
    diagnosis: 'body_line_ends',
  },
  { title: 'a byte order mark stripped', sent: Buffer.from(`\ufeff${text}`), diagnosis: 'body_bom' },
  {
    title: 'a body in ISO-8859-1 made UTF-8',
    sent: Buffer.from(text.replaceAll(/[^\0-\xff]+/g, ''), 'latin1'),
    arrives: Buffer.from(text.replaceAll(/[^\0-\xff]+/g, '')),
    diagnosis: 'body_charset',
  },
  {
    title: 'a body in UTF-16 made UTF-8',
    sent: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
    diagnosis: 'body_charset',
  },
  {
    title: 'bytes that were no text decoded all the same',
    sent: Buffer.concat([original, Buffer.from([0xff])]),
    arrives: Buffer.from(`${text}\ufffd`),
    diagnosis: 'body_charset',
    label: null,
  },
  { title: 'a compressed body inflated', sent: gzipSync(original), diagnosis: 'body_decompressed' },
  {
    title: 'a body compressed by somebody else inflated',
    sent: Buffer.from('no zlib made these bytes'),
    headers: (headers) => ({ ...headers, 'Content-Encoding': 'gzip' }),
    diagnosis: 'body_decompressed',
    label: null,
  },
  { title: 'a body that a middleware has consumed', arrives: Buffer.alloc(0), diagnosis: 'body_missing', label: null },
  { title: 'a secret that nobody knows', key: 'whsec_nobody0knows0this0one0', diagnosis: 'unknown', label: null },
];

describe('the clinic names the cause of each staged mistake, and nothing of it is stored as an event', () => {
  it.each(mistakes)('$title: $diagnosis', async (mistake) => {
    const sent = mistake.sent ?? original;
    const body = mistake.arrives ?? (mistake.sent ? original : sent);
    const atMs = Date.now() - (mistake.ageSeconds ?? 0) * 1000;
    // A header of its own makes the record of this mistake findable.
    const mark = `x-mistake-${createHash('sha256').update(mistake.title).digest('hex').slice(0, 12)}`;
    const signature = stripeSignature(sent, mistake.key ?? live, atMs);
    const headers = { ...(mistake.headers?.(signature) ?? signature), [mark]: '1' };
    const endpoint = spoiled[mistakes.indexOf(mistake) % spoiled.length] ?? '';
    const answer = await post({ eventId: '', body, headers }, `/webhooks/stripe/${endpoint}`);
    expect(answer).toBe(401);
    const record = await waitFor('the record of the mistake', () => recordOf(mark));
    expect(record).toMatchObject({
      endpoint,
      reason: mistake.reason ?? 'signature_mismatch',
      diagnosis: mistake.diagnosis,
      secret_label: mistake.label === undefined ? 'live' : mistake.label,
      body_sha256: createHash('sha256').update(body).digest('hex'),
      body_bytes: String(body.length),
      body: null,
    });
    expect(record.explanation).toMatch(mistake.says ?? /./);
    for (const secret of Object.values(secrets)) expect(JSON.stringify(record)).not.toContain(secret);
    const skew = record.skew_ms === null ? null : Math.round(Number(record.skew_ms) / 60_000);
    expect(skew).toBe(mistake.ageSeconds === undefined ? null : mistake.ageSeconds / 60);
    expect(await countRows(test.database)).toBe(0);
  });
});

it('keeps a body only where the endpoint says so, and counts by diagnosis', async () => {
  const event = { ...stripeEvent(), headers: {} };
  expect(await post(event, '/webhooks/stripe/elsewhere')).toBe(401);
  const record = await waitFor('the record', async () =>
    (await records()).find(({ endpoint }) => endpoint === 'elsewhere'),
  );
  expect(record.body).toEqual(event.body);
  expect(await ingest.metrics()).toMatch(
    /mailroom_rejections_diagnosed_total\{diagnosis="no_header",provider="stripe",endpoint="elsewhere"\} 1\n/,
  );
});

async function post(request: SignedRequest, path: string): Promise<number | undefined> {
  const { answers } = await talk(ingest.port, onTheWire(request, { path }));
  return answers[0]?.status;
}

/** What a sender that uses these bytes as its key would send. */
function stripeSignature(body: Buffer, key: string | Buffer, atMs: number): SignedRequest['headers'] {
  if (typeof key === 'string') return signed(body, key, atMs).headers;
  const timestamp = Math.floor(atMs / 1000);
  const signature = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
  return { 'Stripe-Signature': `t=${timestamp},v1=${signature}` };
}

async function records() {
  return await test.database.kysely.selectFrom('inbox_rejections').selectAll().execute();
}

async function recordOf(header: string) {
  return (await records()).find(({ header_names }) => header_names.includes(header));
}

function escaped(unit: string): string {
  return unit
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
