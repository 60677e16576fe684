import { dirname } from 'node:path';
import { z } from 'zod';
import { readEndpointSecrets } from './endpoint-secrets.ts';
import type { Environment } from './environment.ts';
import { judgeSecret } from './judge-secret.ts';
import type { Problem } from './problem.ts';
import { type Secret, seal, sealSecret } from './secret.ts';
import { readSecretSource } from './secret-source.ts';
import { shapeProblems } from './shape-problems.ts';
import { notShown, shown } from './shown.ts';
import type { SinkConfig } from './sink-config.ts';

/** A sink with the places its secrets came from. */
export interface SourcedSink {
  readonly sink: SinkConfig;
  readonly secretsFrom: readonly string[];
  readonly file: string;
}

export interface SinkContext {
  /** Names the entry in problems. */
  readonly place: string;
  readonly file: string;
  readonly env: Environment;
  readonly report: (problem: Problem) => void;
}

/** Reads one entry of `sinks`; null where anything of it is wrong, all of which has then been reported. */
export function readSinkEntry(entry: unknown, context: SinkContext): SourcedSink | null {
  const { place, file, report } = context;
  const { type } = looseSchema.parse(entry);
  if (type !== 'http' && type !== 'nats' && type !== 'log') {
    report({ name: `${place}.type`, found: shown(type), right: 'one of "http", "nats", "log"' });
    return null;
  }
  const parsed = schemas[type].safeParse(entry);
  if (!parsed.success) {
    const keys = Object.keys(schemas[type].shape);
    const unquoted = ['url', 'secrets', 'servers', 'token', 'credentials'];
    for (const problem of shapeProblems(parsed.error, entry, place, { keys, right: rightOf, unquoted }))
      report(problem);
  }
  // The rest is read even so, that a person may mend everything in one go.
  const loose = looseSchema.parse(entry);
  const secrets = type === 'http' ? readSigningSecrets(loose.secrets, context) : [];
  const token = type === 'nats' ? readOne('token', loose.token, context) : null;
  const credentials = type === 'nats' ? readOne('credentials', loose.credentials, context) : null;
  const urlIsRight = type !== 'http' || isPlainUrl(loose.url, loose.allowPrivateAddresses === true);
  if (!urlIsRight && typeof loose.url === 'string') {
    report({ name: `${place}.url`, found: notShown(loose.url), right: rightOf['url'] ?? '' });
  }
  if (!parsed.success || !urlIsRight || secrets === null || token === 'wrong' || credentials === 'wrong') return null;
  const secretsFrom = [...secrets, token, credentials].flatMap((each) => (each === null ? [] : [each.from]));
  const data = parsed.data;
  switch (data.type) {
    case 'http': {
      const { url, ...open } = data;
      return { sink: seal({ ...open, secrets: secrets.map(({ secret }) => secret) }, { url }), secretsFrom, file };
    }
    case 'nats': {
      const sink = { ...data, token: token?.secret ?? null, credentials: credentials?.secret ?? null };
      return { sink, secretsFrom, file };
    }
    case 'log':
      return { sink: data, secretsFrom, file };
  }
}

/** As the Standard Webhooks specification has them: 24 to 64 bytes in base64 after `whsec_`. */
function signingSecretProblem(value: string): string | null {
  if (!value.startsWith('whsec_')) return 'does not start with whsec_';
  const key = value.slice('whsec_'.length);
  const bytes = Buffer.from(key, 'base64');
  if (bytes.toString('base64') !== key) return 'is not base64 after whsec_';
  return bytes.length < 24 || bytes.length > 64 ? `has ${bytes.length} bytes; 24 to 64 are right` : null;
}

function readSigningSecrets(entries: readonly unknown[], { place, file, env, report }: SinkContext) {
  const judge = { provider: 'the receiver', secretProblem: signingSecretProblem };
  return readEndpointSecrets(entries, `${place}.secrets`, { env, folder: dirname(file), judge, report });
}

function readOne(
  key: 'token' | 'credentials',
  reference: unknown,
  { place, file, env, report }: SinkContext,
): { readonly secret: Secret; readonly from: string } | null | 'wrong' {
  if (typeof reference !== 'string') return null;
  const { secrets, complaints } = readSecretSource(reference, { env, folder: dirname(file) });
  for (const complaint of complaints) report({ name: `${place}.${key}`, ...complaint });
  const [found, second] = secrets;
  if (complaints.length > 0 || found === undefined) return 'wrong';
  // The text of a credentials file has lines.
  const judged = key === 'token' || found.value === '' ? judgeSecret(found.value, undefined) : null;
  if (second !== undefined) report({ name: `${place}.${key}`, found: 'several secrets', right: 'one' });
  if (judged !== null) report({ name: `${place}.${key} (${found.from})`, ...judged });
  if (second !== undefined || judged !== null) return 'wrong';
  return { secret: sealSecret(found.label, found.value), from: found.from };
}

const anything = z.unknown().optional();
const looseSchema = z
  .object({
    type: anything,
    url: anything,
    allowPrivateAddresses: anything,
    secrets: z.array(z.unknown()).catch([]),
    token: anything,
    credentials: anything,
  })
  .catch({
    type: undefined,
    url: undefined,
    allowPrivateAddresses: undefined,
    secrets: [],
    token: undefined,
    credentials: undefined,
  });

const common = {
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/),
  topics: z
    .array(z.string().regex(/^(\*|[^\s*]{1,253}(\.\*)?)$/))
    .min(1)
    .max(200),
};
const reference = z.string().optional();
const connectTimeoutMs = z.int().min(50).max(60_000).default(5_000);
const timeoutMs = z.int().min(100).max(600_000).default(10_000);
const prefix = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{0,64}$/)
  .default('');

const schemas = {
  http: z.strictObject({
    type: z.literal('http'),
    ...common,
    url: z.string(),
    secrets: z.array(z.unknown()).min(1).max(16),
    idPrefix: prefix,
    connectTimeoutMs,
    timeoutMs,
    allowPrivateAddresses: z.boolean().default(false),
    // 410 says that the receiver is gone for good.
    giveUpOn: z.array(z.int().min(300).max(599)).max(100).default([410]),
  }),
  nats: z.strictObject({
    type: z.literal('nats'),
    ...common,
    servers: z
      .array(z.string().regex(/^(nats|tls):\/\/[^\s@/]+$/))
      .min(1)
      .max(32),
    subjectPrefix: prefix,
    idPrefix: prefix,
    token: reference,
    credentials: reference,
    connectTimeoutMs,
    timeoutMs,
  }),
  log: z.strictObject({ type: z.literal('log'), ...common }),
} as const;

/** Nothing travels unencrypted over a public network, and a URL is no place for a password. */
function isPlainUrl(text: unknown, allowPrivateAddresses: boolean): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (
    (protocol === 'https:' || (protocol === 'http:' && allowPrivateAddresses)) && username + password + hash === ''
  );
}

const rightOf: Readonly<Record<string, string>> = {
  name: 'lower-case letters, digits, _ and -, at most 63, beginning with a letter or a digit',
  topics: 'a list of topics: "invoice.paid", "invoice.*" for all that begin so, or "*" for all',
  url: 'https://..., without user and password; http:// only where allowPrivateAddresses is true',
  secrets: 'a list of 1 to 16 secrets, each "env:NAME", "file:PATH" or "dir:PATH"',
  servers: 'a list like ["nats://host:4222"] or ["tls://host:4222"], without user and password',
  token: '"env:NAME" or "file:PATH"',
  credentials: '"file:PATH" of a credentials file',
  subjectPrefix: 'at most 64 letters, digits and . _ : -, for example "billing."',
  idPrefix: 'at most 64 letters, digits and . _ : -, for example "eu-"',
  connectTimeoutMs: 'whole milliseconds from 50 to 60000',
  timeoutMs: 'whole milliseconds from 100 to 600000',
  allowPrivateAddresses: 'true or false',
  giveUpOn: 'a list of HTTP statuses from 300 to 599, for example [410, 422]',
};
