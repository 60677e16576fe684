import { inspect } from 'node:util';
import { CodedError } from '@mailroom/kernel';
import { describe, expect, test } from 'vitest';
import { describeConfig } from '../src/describe-config.ts';
import { loadConfig } from '../src/load-config.ts';
import type { ConfigSources } from '../src/resolve.ts';
import type { Role } from '../src/setting.ts';
import { settings } from '../src/settings.ts';
import { providers, workingDirectory } from './support.ts';

/** Secrets of every make, to be put where secrets belong and where they do not. */
const secrets = [
  'whsec_Q0RFRkdISUpLTE1OT1BRUlNUVVZX',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=',
  '1f2e3d4c5b6a79880f1e2d3c4b5a69788f7e6d5c4b3a29180f1e2d3c4b5a6978',
  '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
  'user-name-1:Pa55-w0rd-of-20-l3tters',
  'sk_live_51H8xTestKeyTestKeyTestKeyTestKey',
  'AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIj',
] as const;

const roles: readonly Role[] = ['ingest', 'worker', 'ops', 'reconcile', 'local'];

/** Names that people choose, and that are there to be shown. */
const shownNames = new Set([
  'MAILROOM_HOME',
  'MAILROOM_ENDPOINTS_FILE',
  'MAILROOM_SINKS_FILE',
  'MAILROOM_RELEASE',
  'HOST',
]);

const rightSink = {
  name: 'billing',
  type: 'http',
  topics: ['*'],
  url: 'https://x.example/',
  secrets: ['env:THE_SECRET'],
};

describe.each(secrets)('no piece of a secret is shown, wherever it is planted: %#', (secret) => {
  test('in every variable at once and in each alone', () => {
    const names = settings.map(({ name }) => name).filter((name) => !shownNames.has(name));
    expect(names.length).toBeGreaterThan(20);
    const environments = names.map((name) => ({ [name]: secret }));
    environments.push(Object.fromEntries(names.map((name) => [name, secret])));
    for (const env of environments) expect(tracesOf(secret, env)).toEqual([]);
  });

  test('in the database URL, wherever it may stand in one', () => {
    const urls = [
      `postgres://u:${encodeURIComponent(secret)}@db/x`,
      `postgres://u:${secret}@db/x`,
      `postgres://u@db/x?password=${encodeURIComponent(secret)}`,
      `postgres://u@db/x?sslkey=${secret}&${secret}=1`,
      `${secret}://db`,
      ` ${secret}`,
    ];
    for (const DATABASE_URL of urls) expect(tracesOf(secret, { DATABASE_URL })).toEqual([]);
  });

  test('in every place of the endpoints file', () => {
    const texts = filesWith(secret).map((file) => (typeof file === 'string' ? file : JSON.stringify(file)));
    for (const provider of ['stripe', 'marqeta']) {
      for (const text of texts) {
        const files = { 'mailroom.endpoints.json': text.replace('"stripe"', `"${provider}"`), key: `${secret}\n` };
        const cwd = workingDirectory({ ...files, padded: ` ${secret} ` });
        expect(tracesOf(secret, { THE_SECRET: secret }, cwd), text).toEqual([]);
      }
    }
  });

  test('in every place of the sinks file where it could be pasted', () => {
    const files = { key: `${secret}\n`, padded: ` ${secret} ` };
    for (const sink of sinksWith(secret)) {
      const text = JSON.stringify({ sinks: [sink] });
      const cwd = workingDirectory({ ...files, 'mailroom.sinks.json': text });
      expect(tracesOf(secret, { THE_SECRET: secret }, cwd), text).toEqual([]);
    }
  });
});

function sinksWith(secret: string): readonly unknown[] {
  const nats = { name: 'bus', type: 'nats', topics: ['*'], servers: ['nats://127.0.0.1'] };
  return [
    secret,
    rightSink,
    { [secret]: secret },
    ...['type', 'url', 'secrets', 'timeoutMs', 'giveUpOn', 'idPrefix', secret].map((key) =>
      Object.assign({}, rightSink, { [key]: ` ${secret}` }),
    ),
    ...[`https://x.example/${secret}`, `https://user:${secret}@x.example/`, `http://x.example/${secret}`].map((url) =>
      Object.assign({}, rightSink, { url }),
    ),
    ...[secret, `env:${secret}`, `file:${secret}`, 'file:./key', 'file:./padded', 'env:THE_SECRET'].flatMap((from) => [
      { ...rightSink, secrets: [from] },
      { ...nats, token: from },
      { ...nats, credentials: from },
    ]),
    { ...nats, servers: [`nats://${secret}@127.0.0.1`] },
  ];
}

function filesWith(secret: string): readonly unknown[] {
  const right = { provider: 'stripe', endpoint: 'billing', secrets: ['env:THE_SECRET'] };
  const keys = ['provider', 'endpoint', 'secrets', 'toleranceMs', 'maxBodyBytes', 'keepRejectedBodies', secret];
  const entries = [
    [secret],
    [`env:${secret}`],
    [`file:${secret}`],
    ['env:THE_SECRET'],
    ['file:./key'],
    ['file:./padded'],
    [{ from: secret }],
    [{ [secret]: 'x' }],
    [{ from: 'env:THE_SECRET', label: secret }],
    [{ from: 'file:./key', label: 'again', notBefore: secret }],
    [{ from: 'file:./key', label: 'again', notAfter: secret.slice(0, 12) }],
    [{ from: 'file:./key', label: secret.slice(0, 12) }],
    ['env:THE_SECRET', 'file:./key', { from: 'env:THE_SECRET', label: 'again' }],
  ];
  const reconciled = [
    ...['key', 'shop', 'accounts', 'types', 'apiBase', secret].flatMap((key) => [
      { [key]: secret },
      { [key]: [secret] },
    ]),
    ...['', 'env:', 'file:', 'https://', 'https://x/'].map((before) => ({ key: `${before}${secret}` })),
    { apiBase: `https://${secret}@x/` },
    { key: 'file:./key' },
    { key: 'env:THE_SECRET' },
    secret,
    [secret],
  ];
  return [
    secret,
    ...reconciled.map((reconcile) => ({ endpoints: [Object.assign({}, right, { reconcile })] })),
    `{"endpoints": [${secret}]}`,
    `{"endpoints": [{"secrets": ["${secret}]}`,
    { [secret]: [] },
    { endpoints: secret },
    { endpoints: [secret] },
    ...keys.map((key) => ({ endpoints: [Object.assign({}, right, { [key]: secret })] })),
    ...entries.map((entry) => ({ endpoints: [Object.assign({}, right, { secrets: entry })] })),
  ];
}

/** The pieces of a secret that any role shows in its description, its configuration or its error. */
function tracesOf(secret: string, env: Record<string, string>, cwd = workingDirectory()): readonly string[] {
  const sources = { env, cwd, providers };
  return roles.flatMap((role) => {
    const output = JSON.stringify(describeConfig(role, sources)) + loadedOrRefused(role, sources);
    if (!output.includes('MAILROOM_HOME')) throw new Error('the output is not what it should be');
    return piecesOf(secret).filter((piece) => output.includes(piece));
  });
}

function loadedOrRefused(role: Role, sources: ConfigSources): string {
  try {
    const config = loadConfig(role, sources);
    return JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return String(error) + inspect(error, { depth: 9, showHidden: true });
  }
}

/** Every stretch of six characters, but for the prefix that all secrets of a provider share and messages may name. */
function piecesOf(secret: string): readonly string[] {
  const pieces = Array.from({ length: secret.length - 5 }, (_, start) => secret.slice(start, start + 6));
  return pieces.filter((piece) => piece !== 'whsec_');
}
