import type { AcceptingEndpoint } from './accept-delivery.ts';
import { type AlterationCode, bodyAlterations } from './body-alterations.ts';
import { keyReadings } from './key-readings.ts';
import type { RawRequest, Rejection, Scheme, Secret } from './provider.ts';
import { providers } from './registry.ts';

/** What is behind a delivery that did not verify. Bounded, so it can be a metric label. */
export type DiagnosisCode =
  | 'no_header'
  | 'header_malformed'
  | 'stale'
  | 'from_the_future'
  | 'secret_not_valid_now'
  | 'other_endpoint'
  | 'other_mode'
  | 'secret_decoding'
  | 'body_missing'
  | AlterationCode
  | 'unknown';

export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** For a person: what was found, what to do. Quotes labels, never a secret, a signature or the body. At most 1000 characters. */
  readonly explanation: string;
  /** Of the secret under which the signature would have been right; null: of none. */
  readonly secretLabel: string | null;
  /** How long ago it was signed, milliseconds, where that was what was wrong. */
  readonly skewMs: number | null;
}

export interface RejectedCase {
  readonly request: RawRequest;
  readonly rejection: Rejection;
  /** With the secrets that were tried. */
  readonly endpoint: AcceptingEndpoint;
  /** Configured for the endpoint, but not valid at the moment. */
  readonly idleSecrets: readonly Secret[];
  /** Where it may have been meant to go; their secrets too. */
  readonly others: readonly AcceptingEndpoint[];
}

export interface DiagnosisLimits {
  /** Bytes that may be hashed for one diagnosis. */
  readonly maxBytes: number;
  /** Waited for before each try, so that real traffic has its turn. */
  readonly pause: () => Promise<void>;
}

/**
 * Says why a delivery did not verify, by trying what commonly goes wrong: other secrets, other readings of the secrets, the
 * body as it may have been before something changed it. Bounded in work; never throws on outside input. A diagnosis
 * proves nothing: what it speaks of stays refused.
 */
export async function diagnose(rejected: RejectedCase, limits: DiagnosisLimits): Promise<Diagnosis> {
  const { rejection } = rejected;
  const found = { secretLabel: null, skewMs: null };
  switch (rejection.reason) {
    case 'timestamp_stale':
      return { ...found, code: 'stale', explanation: staleText(rejection), skewMs: rejection.skewMs ?? null };
    case 'timestamp_future':
      return {
        ...found,
        code: 'from_the_future',
        explanation: futureText(rejection),
        skewMs: rejection.skewMs ?? null,
      };
    case 'signature_missing':
      return (
        (await meantForAnother(rejected, limits)) ?? {
          ...found,
          code: 'no_header',
          explanation: await noHeader(rejected),
        }
      );
    case 'signature_malformed':
      return { ...found, code: 'header_malformed', explanation: malformedText(rejection) };
    case 'signature_mismatch':
      return (
        (await tryEverything(rejected, limits)) ??
        hintOf(rejected.request) ?? { ...found, code: 'unknown', explanation: unknownText }
      );
  }
}

/** Tries one way of verifying; the label that matched, or null. Counts what it costs against the limits. */
type Try = (scheme: Scheme, secrets: readonly Secret[], request: RawRequest) => Promise<string | null>;

function tries({ maxBytes, pause }: DiagnosisLimits): Try {
  let left = maxBytes;
  return async (scheme, secrets, request) => {
    for (let at = 0; at < secrets.length; at += secretsAtOnce) {
      const some = secrets.slice(at, at + secretsAtOnce);
      left -= some.length * (request.body.length + fixedCost);
      if (left < 0) return null;
      await pause();
      // However long ago it was signed: which secret it is says more than that.
      const verification = await scheme.verify(request, some, { nowMs: 0, toleranceMs: Number.POSITIVE_INFINITY });
      if (verification.outcome === 'verified') return verification.secretLabel;
    }
    return null;
  };
}

async function tryEverything(rejected: RejectedCase, limits: DiagnosisLimits): Promise<Diagnosis | null> {
  const { request, endpoint, idleSecrets } = rejected;
  const { scheme, secrets } = endpoint;
  const attempt = tries(limits);
  const idle = await attempt(scheme, idleSecrets, request);
  if (idle !== null) return diagnosis('secret_not_valid_now', idle, idleText(idle));

  const another = await meantForAnother(rejected, limits);
  if (another !== null) return another;

  for (const secret of secrets) {
    for (const { how, secret: read } of keyReadings(secret)) {
      const label = await attempt(scheme, [read], request);
      if (label !== null) return diagnosis('secret_decoding', label, decodingText(label, how));
    }
  }
  for (const { code, was, body } of bodyAlterations(request)) {
    const label = await attempt(scheme, secrets, { ...request, body });
    if (label !== null) return diagnosis(code, label, alterationText(label, was));
  }
  return null;
}

/** By each other endpoint's own scheme, then by this one's with the other's secrets: the same sender, another secret. */
async function meantForAnother(
  { request, endpoint, others }: RejectedCase,
  limits: DiagnosisLimits,
): Promise<Diagnosis | null> {
  const attempt = tries({ ...limits, maxBytes: limits.maxBytes / 2 });
  for (const other of others.slice(0, maxOthers)) {
    const label =
      (await attempt(other.scheme, other.secrets, request)) ?? (await attempt(endpoint.scheme, other.secrets, request));
    if (label === null) continue;
    const name = `${other.provider}/${other.endpoint}`;
    const [here, there] = [modeOf(endpoint), modeOf({ ...other, secrets: [{ label, value: '' }] })];
    return here !== null && there !== null && here !== there
      ? diagnosis('other_mode', label, otherModeText(label, name, there, here))
      : diagnosis('other_endpoint', label, otherText(label, name));
  }
  return null;
}

/** Test or live, where labels or names say so. */
function modeOf({ endpoint, secrets }: Pick<AcceptingEndpoint, 'endpoint' | 'secrets'>): 'test' | 'live' | null {
  const words = [...secrets.map(({ label }) => label), endpoint].map((name) => name.toLowerCase().split(/[^a-z]+/));
  for (const some of words) {
    if (some.some((word) => ['test', 'sandbox', 'dev', 'staging'].includes(word))) return 'test';
    if (some.some((word) => ['live', 'prod', 'production'].includes(word))) return 'live';
  }
  return null;
}

/** What can be seen of the request although nothing gives its signature. */
function hintOf({ body, headers }: RawRequest): Diagnosis | null {
  if (body.length === 0) return diagnosis('body_missing', null, missingText);
  const encoding = headers.get('content-encoding')?.[0]?.toLowerCase() ?? '';
  const isCompressed = body[0] === 0x1f && body[1] === 0x8b;
  if (encoding.includes('gzip') && !isCompressed) return diagnosis('body_decompressed', null, decompressedText);
  // U+FFFD is what decoders put in place of bytes they could not read: those are gone.
  if (body.includes('\ufffd')) return diagnosis('body_charset', null, replacedText);
  return null;
}

async function noHeader({ request, rejection, endpoint }: RejectedCase): Promise<string> {
  const bare = { ...request, body: Buffer.alloc(0) };
  let seen: string | undefined;
  for (const { name, title, configure, example } of providers) {
    const configured = configure(example.options);
    if (seen !== undefined || name === endpoint.provider || configured.outcome === 'invalid') continue;
    const verification = await configured.scheme.verify(bare, [], { nowMs: 0, toleranceMs: 0 });
    if (verification.outcome !== 'rejected' || verification.reason !== 'signature_missing') seen = title;
  }
  const hint =
    seen === undefined
      ? 'Somebody who is not the provider called, or a proxy drops the header.'
      : `It carries the signature headers of ${seen}: is the URL of another endpoint configured there?`;
  return `${rejection.detail}. ${hint}`;
}

function diagnosis(code: DiagnosisCode, secretLabel: string | null, explanation: string): Diagnosis {
  return { code, secretLabel, explanation, skewMs: null };
}

const staleText = ({ detail }: Rejection) =>
  `The signature is right, but ${detail}: longer than toleranceMs allows. A queue or proxy in front of us holds deliveries back, somebody replays an old one, or the clock of this machine is ahead.`;
const futureText = ({ detail }: Rejection) =>
  `The signature is right, but ${detail}. The clock of this machine is behind (is NTP running?), or the sender's is ahead.`;
const malformedText = ({ detail }: Rejection) =>
  `The signature header is there, but not in the provider's form: ${detail}. A proxy or a test tool rewrites it.`;
const idleText = (label: string) =>
  `The signature is right under "${label}", which is configured but outside its notBefore and notAfter. Extend its time, or finish the rotation at the provider.`;
const otherText = (label: string, name: string) =>
  `The signature is right under "${label}" of the endpoint ${name}. The provider has the wrong URL, or the secrets of two endpoints are mixed up.`;
const otherModeText = (label: string, name: string, there: string, here: string) =>
  `The signature is right under "${label}" of ${name}, a ${there} secret, and this endpoint has ${here} ones. Add the secret here under a label of its own, or mend the URL at the provider.`;
const decodingText = (label: string, how: string) =>
  `The signature is right when the secret "${label}" is ${how}. Either the sender makes its key the wrong way, or the secret was stored encoded: configure it exactly as the provider shows it.`;
const alterationText = (label: string, was: string) =>
  `The signature is right under "${label}" for the body ${was}. Something between the provider and us changes bodies; it must pass the bytes on untouched.`;
const missingText =
  'The body is empty and the signature is not one of an empty body. Something in front of us has read the body and not passed it on.';
const decompressedText =
  'The request says that its body is compressed, and it is not: something in front of us inflated it. The provider signed the compressed bytes, so they must be passed on as they came.';
const replacedText =
  'The body holds replacement characters (U+FFFD): something in front of us decoded it in the wrong charset, and the original bytes are gone. It must be passed on as bytes.';
const unknownText =
  'No configured secret gives this signature, and nothing that commonly happens to a body or a secret explains it. Most likely the provider signs with a secret that is not configured here (compare the last characters in its console), it signs a URL that differs from the configured one, or it is a forgery.';

/** Looked through for whoever else may have been meant. */
const maxOthers = 64;
/** Between two pauses; each costs one pass over the body. */
const secretsAtOnce = 4;
/** What a try costs beside the bytes of the body, in bytes hashed meanwhile. */
const fixedCost = 4096;
