import { dirname } from 'node:path';
import { z } from 'zod';
import type { Endpoint } from './config.ts';
import { readEndpointReconcile } from './endpoint-reconcile.ts';
import { readEndpointScheme } from './endpoint-scheme.ts';
import { maxSecrets, readEndpointSecrets } from './endpoint-secrets.ts';
import type { Environment } from './environment.ts';
import type { Problem } from './problem.ts';
import type { ProviderRules } from './provider-rules.ts';
import { type Shape, shapeProblems } from './shape-problems.ts';

/** An endpoint with the places its secrets came from, in their order. */
export interface SourcedEndpoint {
  readonly endpoint: Endpoint;
  readonly secretsFrom: readonly string[];
  /** Where its API key is; null: it names none. */
  readonly keyFrom: string | null;
  /** The endpoints file that names it; null: there is none. */
  readonly file: string | null;
}

export interface EndpointContext {
  readonly env: Environment;
  readonly providers: readonly ProviderRules[];
  readonly report: (problem: Problem) => void;
  /** Who verifies reads signing secrets, who asks providers reads their API keys; neither reads what it does not use. */
  readonly reads: 'secrets' | 'keys';
}

/** The limits of an endpoint: default, least and greatest. */
export const endpointLimits = {
  // Stripe's own tolerance, and the Standard Webhooks specification's. An hour is a replay window nobody should exceed.
  toleranceMs: { default: 300_000, min: 1000, max: 3_600_000 },
  // The usual body is a few kilobytes; GitHub documents the largest, 25 MB.
  maxBodyBytes: { default: 1_048_576, min: 1024, max: 33_554_432 },
} as const;

/** Reads one entry of `endpoints`; null where anything of it is wrong, all of which has then been reported. */
export function readEndpointEntry(
  entry: unknown,
  place: string,
  file: string,
  context: EndpointContext,
): SourcedEndpoint | null {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) {
    const shape = { keys: Object.keys(rightOf), right: rightOf, unquoted: ['secrets'] };
    for (const problem of shapeProblems(parsed.error, entry, place, shape)) context.report(problem);
  }
  // The rest is read even so, that a person may mend everything in one go.
  const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  const scheme = isObject ? readEndpointScheme(entry, place, context) : null;
  const listed = looseSchema.parse(entry).secrets;
  const secretContext = { env: context.env, folder: dirname(file), judge: scheme?.judge, report: context.report };
  const secrets = context.reads === 'keys' ? [] : readEndpointSecrets(listed, `${place}.secrets`, secretContext);
  const reconcile = readEndpointReconcile(entry, `${place}.reconcile`, dirname(file), context);
  if (!parsed.success || scheme === null || secrets === null || reconcile === null) return null;

  const { provider, endpoint, toleranceMs, maxBodyBytes, keepRejectedBodies } = parsed.data;
  return {
    endpoint: {
      provider,
      scheme: scheme.scheme,
      endpoint,
      options: scheme.options,
      secrets: secrets.map(({ secret }) => secret),
      toleranceMs,
      maxBodyBytes,
      keepRejectedBodies,
      reconcile: reconcile.reconcile,
    },
    secretsFrom: secrets.map(({ from }) => from),
    keyFrom: reconcile.keyFrom,
    file,
  };
}

/** `secrets` as far as they are there at all. */
const looseSchema = z.object({ secrets: z.array(z.unknown()).catch([]) }).catch({ secrets: [] });

function limited(limit: { default: number; min: number; max: number }) {
  return z.int().min(limit.min).max(limit.max).default(limit.default);
}

// The same as the CHECK endpoint_is_a_name of webhook_inbox.
const endpointForm = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const entrySchema = z.strictObject({
  // These three are judged together, by readEndpointScheme.
  provider: z.string().catch(''),
  scheme: z.unknown().optional(),
  options: z.unknown().optional(),
  endpoint: z.string().regex(endpointForm),
  secrets: z.array(z.unknown()).min(1).max(maxSecrets),
  toleranceMs: limited(endpointLimits.toleranceMs),
  maxBodyBytes: limited(endpointLimits.maxBodyBytes),
  keepRejectedBodies: z.boolean().default(false),
  // Judged by readEndpointReconcile.
  reconcile: z.unknown().optional(),
});

const rightOf: Shape['right'] = {
  provider: 'who sends',
  scheme: 'whose scheme it speaks',
  options: 'an object',
  endpoint: 'lower-case letters, digits, _ and -, at most 63, beginning with a letter or a digit',
  secrets: 'a list of 1 to 16 secrets, each "env:NAME", "file:PATH" or "dir:PATH"',
  toleranceMs: wholeNumber('milliseconds', endpointLimits.toleranceMs),
  maxBodyBytes: wholeNumber('bytes', endpointLimits.maxBodyBytes),
  keepRejectedBodies: 'true or false',
  reconcile: 'an object',
};

function wholeNumber(unit: string, { min, max }: { min: number; max: number }): string {
  return `a whole number of ${unit} from ${min} to ${max}, without quotation marks`;
}
