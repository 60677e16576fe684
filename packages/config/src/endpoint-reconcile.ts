import { z } from 'zod';
import type { EndpointReconcile } from './config.ts';
import type { EndpointContext } from './endpoint-entry.ts';
import { judgeSecret } from './judge-secret.ts';
import { isWebAddress } from './parse-setting.ts';
import { type Secret, sealSecret } from './secret.ts';
import { readSecretSource } from './secret-source.ts';
import { type Shape, shapeProblems } from './shape-problems.ts';
import { looksRandom } from './shown.ts';

export interface SourcedReconcile {
  readonly reconcile: EndpointReconcile | null;
  /** As the file names it: `env:NAME`, `file:PATH`. */
  readonly keyFrom: string | null;
}

/**
 * Reads `reconcile` of an entry: how the endpoint's provider is asked for what was missed. The key itself is read only by
 * whoever asks. Null where anything is wrong, which has then been reported.
 */
export function readEndpointReconcile(
  entry: unknown,
  place: string,
  folder: string,
  context: EndpointContext,
): SourcedReconcile | null {
  const { reconcile: given } = entrySchema.parse(entry);
  if (given === undefined) return { reconcile: null, keyFrom: null };
  const parsed = reconcileSchema.safeParse(given);
  if (!parsed.success) {
    for (const problem of shapeProblems(parsed.error, given, place, shape)) context.report(problem);
    return null;
  }
  const { key: reference, ...options } = parsed.data;
  if (reference === undefined) return { reconcile: { key: null, ...options }, keyFrom: null };
  if (context.reads === 'secrets') return { reconcile: { key: null, ...options }, keyFrom: quotable(reference) };
  const key = readKey(reference, `${place}.key`, folder, context);
  return key === null ? null : { reconcile: { key, ...options }, keyFrom: quotable(reference) };
}

function readKey(reference: string, name: string, folder: string, { env, report }: EndpointContext): Secret | null {
  const { secrets, complaints } = readSecretSource(reference, { env, folder });
  const [found] = secrets;
  const judged = found === undefined ? null : judgeSecret(found.value, undefined);
  for (const complaint of [...complaints, ...(judged === null ? [] : [judged])]) report({ name, ...complaint });
  return found === undefined || judged !== null ? null : sealSecret('key', found.value);
}

/** As `readSecretSource` has it: shown only where its form says that it is no key pasted in place of one. */
function quotable(reference: string): string {
  if (/^(env:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|file:\.{0,2}\/.*)$/.test(reference)) return reference;
  return `${reference.slice(0, reference.indexOf(':'))}:(not shown)`;
}

const entrySchema = z.object({ reconcile: z.unknown().optional() }).catch({});

// Nothing that could be a key gets through: whatever is accepted here may be shown.
const reconcileSchema = z.strictObject({
  key: z
    .string()
    .regex(/^(env|file):/)
    .optional(),
  accounts: z.enum(['own', 'connected', 'all']).default('own'),
  types: z
    .array(z.string().refine((text) => /^[a-z0-9_]+(\.[a-z0-9_]+)*\.([a-z0-9_]+|\*)$/.test(text) && !looksRandom(text)))
    .min(1)
    .nullable()
    .default(null),
  shop: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}\.myshopify\.com$/)
    .nullable()
    .default(null),
  apiBase: z
    .string()
    .refine((text) => isWebAddress(text) && !looksRandom(text.slice(text.indexOf('://') + 3)))
    .nullable()
    .default(null),
});

const right = {
  key: '"env:NAME" or "file:PATH"',
  accounts: '"own", "connected" or "all"',
  types: 'a list of event types, such as "invoice.paid" and "customer.subscription.*"',
  shop: 'the shop as Shopify names it, "example.myshopify.com"',
  apiBase: 'https://HOST, without user, query and fragment',
};
const shape: Shape = { keys: Object.keys(right), right, unquoted: Object.keys(right) };
